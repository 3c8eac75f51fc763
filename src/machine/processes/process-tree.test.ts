import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { randomUUID } from "node:crypto";
import { createInterface } from "node:readline";
import { describe, expect, it, onTestFinished } from "vitest";
import { startTimeOf } from "./process-id.ts";
import {
  endProcesses,
  isAlive,
  pidsWithPair,
  parents,
  parentsIn,
  processesWith,
  processTree,
  type KnownProcess,
} from "./process-tree.ts";

interface Family {
  readonly shell: KnownProcess;
  readonly child: ChildProcess;
  readonly mark: string;
  /** The pids that the script printed, one per line. */
  readonly pids: readonly number[];
}

/** A shell that runs a script with a unique mark. It has started when it has printed `lines` lines. */
async function newFamily(script: string, lines: number): Promise<Family> {
  const mark = randomUUID();
  const child = spawn("sh", ["-c", script], {
    env: { PATH: process.env["PATH"], TEST_MARK: mark },
    stdio: ["ignore", "pipe", "ignore"],
  });
  onTestFinished(() => {
    for (const { pid } of processesWith("TEST_MARK", mark)) process.kill(pid, "SIGKILL");
  });
  const pids: number[] = [];
  for await (const line of createInterface(child.stdout)) {
    pids.push(Number(line));
    if (pids.length === lines) break;
  }
  return { shell: known(child.pid ?? 0), child, mark, pids };
}

const known = (pid: number): KnownProcess => ({ pid, startTime: startTimeOf(pid) ?? "gone" });

const numbers = (processes: readonly KnownProcess[]): number[] =>
  processes.map(({ pid }) => pid).toSorted((a, b) => a - b);

/** Two children in their own sessions, one of them an orphan. */
const SCATTERED = `
  setsid sh -c 'echo $$; exec sleep 1000' &
  (setsid sh -c 'echo $$; exec sleep 1000' &)
  echo $$
  wait`;

describe("processes", () => {
  it("are found by a variable, anywhere in the tree", async () => {
    const { mark, pids } = await newFamily(SCATTERED, 3);
    expect(numbers(processesWith("TEST_MARK", mark))).toEqual(numbers(pids.map(known)));
  });

  it("are not found by the start of a value, or by another variable", async () => {
    const { mark } = await newFamily("echo $$; exec sleep 1000", 1);
    expect(processesWith("TEST_MARK", mark.slice(0, -1))).toEqual([]);
    expect(processesWith("TEST_MAR", mark)).toEqual([]);
    expect(processesWith("MARK", mark)).toEqual([]);
  });

  it("never include this process", () => {
    const home = process.env["PATH"] ?? "";
    expect(numbers(processesWith("PATH", home))).not.toContain(process.pid);
    expect(numbers(processTree(known(process.pid)))).not.toContain(process.pid);
  });

  it("are found below their parent, at any depth", async () => {
    const script = "sh -c 'echo $$; sh -c \"echo \\$\\$; sleep 1000; :\"; :' & echo $$; wait";
    const { shell, mark } = await newFamily(script, 3);
    const tree = processTree(shell);
    expect(numbers(tree)).toContain(shell.pid);
    expect(tree.length).toBeGreaterThanOrEqual(3);
    const marked = numbers(processesWith("TEST_MARK", mark));
    expect(marked).toEqual(expect.arrayContaining(numbers(tree)));
  });

  it("are not found by a pid that was reused", async () => {
    const { shell } = await newFamily("echo $$; exec sleep 1000", 1);
    expect(isAlive(shell)).toBe(true);
    expect(isAlive({ ...shell, startTime: "1" })).toBe(false);
    expect(processTree({ ...shell, startTime: "1" })).toEqual([]);
  });
});

describe("ending", () => {
  it("ends all of them, and resolves when they are gone", async () => {
    const { mark, pids } = await newFamily(SCATTERED, 3);
    const all = pids.map(known);
    await endProcesses(processesWith("TEST_MARK", mark), { graceMs: 5_000 });
    expect(all.filter(isAlive)).toEqual([]);
    expect(processesWith("TEST_MARK", mark)).toEqual([]);
  });

  it("starts with SIGTERM, so that a process can clean up", async () => {
    const script = "trap 'echo 1; exit 0' TERM; echo $$; while :; do sleep 0.01; done";
    const { shell, child } = await newFamily(script, 1);
    const ended = once(child, "exit");
    await endProcesses([shell], { graceMs: 10_000 });
    expect(await ended).toEqual([0, null]);
  });

  it("kills a process that ignores SIGTERM", async () => {
    const { shell, child } = await newFamily("trap '' TERM; echo $$; exec sleep 1000", 1);
    const ended = once(child, "exit");
    await endProcesses([shell], { graceMs: 200 });
    expect(await ended).toEqual([null, "SIGKILL"]);
    expect(isAlive(shell)).toBe(false);
  });

  it("touches no other process, not even one that has the number now", async () => {
    const mine = await newFamily("echo $$; exec sleep 1000", 1);
    const other = await newFamily("echo $$; exec sleep 1000", 1);
    const reused = { ...other.shell, startTime: "1" };
    await endProcesses([mine.shell, reused], { graceMs: 5_000 });
    expect([isAlive(mine.shell), isAlive(other.shell)]).toEqual([false, true]);
  });

  it("succeeds for processes that are gone", async () => {
    const { shell, child } = await newFamily("echo $$", 1);
    if (child.exitCode === null) await once(child, "exit");
    await endProcesses([shell], { graceMs: 5_000 });
    await endProcesses([], { graceMs: 5_000 });
    expect(isAlive(shell)).toBe(false);
  });
});

describe("the output of Apple's ps", () => {
  it("has the parent of each process", () => {
    expect(parentsIn(["    1     0", "  501     1", "73211   501"])).toEqual([
      { pid: 1, parent: 0 },
      { pid: 501, parent: 1 },
      { pid: 73_211, parent: 501 },
    ]);
  });

  it("has a mark as a whole word", () => {
    const lines = [
      "  501 /usr/local/bin/node worker.js PATH=/usr/bin SAGA_RUN_ID=run-1 LANG=C",
      "  502 sleep 1000 SAGA_RUN_ID=run-12",
      "  503 /bin/zsh -l",
      "  504 sleep 1 SAGA_RUN_ID=run-1",
    ];
    expect(pidsWithPair(lines, "SAGA_RUN_ID=run-1")).toEqual([501, 504]);
  });

  it("has two columns with the options for a real ps", () => {
    const found = parents("darwin").find(({ pid }) => pid === process.pid);
    expect(found?.parent).toBe(process.ppid);
  });
});
