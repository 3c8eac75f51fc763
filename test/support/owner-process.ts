// A process that acquires what its input names, for the tests of ownership.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";
import { killAtHook } from "./programs.ts";

export interface Won {
  readonly name: string;
  readonly fence: number;
}

export interface OwnerProcess {
  /** What it got of these. It keeps them. */
  readonly acquireAll: (names: readonly string[]) => Promise<readonly Won[]>;
  /** Acquires, renews and releases once, then ends. The fences that it got, even if it was killed with them. */
  readonly cycle: (
    name: string,
  ) => Promise<{ readonly fences: readonly number[]; readonly isKilled: boolean }>;
  /** Repeats that until it ends. */
  readonly cycleUntilEnd: (name: string) => Promise<void>;
  readonly end: () => Promise<void>;
  /** With everything in hand. */
  readonly kill: () => Promise<void>;
}

/** `words`: the program, its engine, and where that is. */
export async function startOwner(
  words: readonly string[],
  owner: string,
  killAt = 0,
): Promise<OwnerProcess> {
  const child = spawn(process.execPath, ["--require", killAtHook, ...words, owner], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { PATH: process.env["PATH"], KILL_AT: String(killAt) },
  });
  child.stdin.on("error", () => undefined);
  const ended = once(child, "close") as Promise<[number | null, NodeJS.Signals | null]>;
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const answer = async (): Promise<string | undefined> => {
    const line = await answers.next();
    return line.done === true ? undefined : line.value;
  };
  const tell = (line: string): void => void child.stdin.write(`${line}\n`);
  const end = async (): Promise<void> => {
    child.stdin.end();
    await ended;
  };
  return {
    async acquireAll(names) {
      tell(`acquire ${names.join(" ")}`);
      return JSON.parse((await answer()) ?? "[]") as Won[];
    },
    async cycle(name) {
      tell(`cycle ${name}`);
      child.stdin.end();
      const fences: number[] = [];
      for (let line = await answer(); line !== undefined; line = await answer()) {
        fences.push(Number(line));
      }
      const [, signal] = await ended;
      return { fences, isKilled: signal === "SIGKILL" };
    },
    async cycleUntilEnd(name) {
      tell(`cycle-until-end ${name}`);
      while ((await answer()) !== undefined);
    },
    end,
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
