// Processes that reach for the same tasks at the same time. What counts is what each of them says that it
// got. The torture test and the bench run the same crowd.

import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";

export interface Crowd {
  /** All go through all tasks in the same order, each as fast as it can. Milliseconds. */
  readonly drain: (tasks: number, onClaim?: (sum: number) => void) => Promise<number>;
  /** All are woken for the same task, and for the next one when all have answered. */
  readonly herd: (tasks: number, onTask?: (id: number) => void) => Promise<number>;
  /** Ends these at once, wherever they are. */
  readonly kill: (count: number) => void;
  /** The names of those that were not killed. */
  readonly living: () => string[];
  /** What each one got, by its name. A line that was cut off with its process is none. */
  readonly won: () => Map<string, string[]>;
  /** The living end, claims in hand. */
  readonly end: () => Promise<void>;
}

interface Member {
  readonly name: string;
  readonly child: ChildProcess;
  readonly won: string[];
  readonly ended: Promise<unknown>;
  isAlive: boolean;
  onLine: (line: string) => void;
}

/** `words` are the program and all of its words but the last, which is the member's name. */
export async function gather(words: readonly string[], size: number): Promise<Crowd> {
  const members = Array.from({ length: size }, (_, at) => newMember(words, `auto-${at + 1}`));
  await Promise.all(members.map((member) => until(member, "ready")));
  const living = (): Member[] => members.filter(({ isAlive }) => isAlive);
  const ask = (line: string): Promise<unknown> =>
    Promise.all(
      living().map((member) => {
        const answered = Promise.race([until(member, `done ${line}`), member.ended]);
        member.child.stdin?.write(`${line}\n`);
        return answered;
      }),
    );
  return {
    async drain(tasks, onClaim) {
      const stop = onClaim && watchClaims(members, onClaim);
      const started = performance.now();
      await ask(`all ${tasks}`);
      stop?.();
      return performance.now() - started;
    },
    async herd(tasks, onTask) {
      const started = performance.now();
      for (let id = 1; id <= tasks; id++) {
        const answered = ask(String(id));
        onTask?.(id);
        await answered;
      }
      return performance.now() - started;
    },
    kill(count) {
      for (const member of living().slice(0, count)) {
        member.isAlive = false;
        member.child.kill("SIGKILL");
      }
    },
    living: () => living().map(({ name }) => name),
    won: () => new Map(members.map(({ name, won }) => [name, won])),
    async end() {
      for (const { child } of living()) child.stdin?.end();
      await Promise.all(members.map(({ ended }) => ended));
    },
  };
}

function newMember(words: readonly string[], name: string): Member {
  const child = spawn(process.execPath, [...words, name], { stdio: ["pipe", "pipe", "inherit"] });
  const won: string[] = [];
  const member: Member = {
    name,
    child,
    won,
    ended: once(child, "close"),
    isAlive: true,
    onLine: () => undefined,
  };
  child.stdin?.on("error", () => undefined);
  // By hand: a reader of lines would hand out the last one also when it was cut off.
  let rest = "";
  child.stdout?.on("data", (chunk: Buffer) => {
    const lines = `${rest}${chunk.toString()}`.split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line.startsWith("claimed ")) won.push(line.slice("claimed ".length));
      member.onLine(line);
    }
  });
  return member;
}

const until = (member: Member, wanted: string): Promise<void> =>
  new Promise((resolve) => {
    member.onLine = (line) => {
      if (line === wanted) resolve();
    };
  });

function watchClaims(members: readonly Member[], onClaim: (sum: number) => void): () => void {
  const hear = (): void => onClaim(members.reduce((sum, { won }) => sum + won.length, 0));
  for (const { child } of members) child.stdout?.on("data", hear);
  return () => {
    for (const { child } of members) child.stdout?.off("data", hear);
  };
}
