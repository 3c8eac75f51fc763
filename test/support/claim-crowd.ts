// Processes that claim the same tasks at the same time, judged by what each of them reports. The torture test and the bench
// use the same ones.

import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";

export interface Crowd {
  /** All try all tasks in the same order, as fast as they can. Returns milliseconds. */
  readonly drain: (tasks: number, onClaim?: (sum: number) => void) => Promise<number>;
  /** Wakes all for the same task, and for the next one when all have answered. */
  readonly herd: (tasks: number, onTask?: (id: number) => void) => Promise<number>;
  /** Kills these at once. */
  readonly kill: (count: number) => void;
  /** The names of those that were not killed. */
  readonly living: () => string[];
  /** What each one got, by its name. An incomplete last line does not count. */
  readonly won: () => Map<string, string[]>;
  /** Ends the living ones, which keep their claims. */
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

/** `words` are the program and its arguments without the last one, which is the process's name. */
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
  // Not with readline, which would also return an incomplete last line.
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
  const onData = (): void => onClaim(members.reduce((sum, { won }) => sum + won.length, 0));
  for (const { child } of members) child.stdout?.on("data", onData);
  return () => {
    for (const { child } of members) child.stdout?.off("data", onData);
  };
}
