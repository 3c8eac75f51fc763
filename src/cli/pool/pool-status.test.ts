import { expect, it } from "vitest";
import type { DaemonView } from "../../tasks/daemon-files.ts";
import { painter } from "../output/terminal.ts";
import { poolJson, poolLines, stoppedLine } from "./pool-status.ts";

const paint = painter(false);
const at = new Date(Date.now() - 3_600_000).toISOString();

const view = (life: string, more: object = {}): DaemonView =>
  ({
    folder: "/p/.saga/auto/1a2b3c4d",
    life: "alive",
    daemon: {
      instance: "1a2b3c4d",
      list: "chores",
      state: "running",
      startedAt: at,
      process: { pid: 42 },
      ...more,
    },
    workers: [
      { worker: "auto-1", state: "working", task: "7", subject: "Fix it", since: at, life },
    ],
  }) as unknown as DaemonView;

it("shows a pool with what each worker does, and since when", () => {
  const [head, worker] = poolLines([view("alive")], paint);
  expect(head).toBe("Pool on chores, running, started 1 h ago, process 42");
  expect(worker).toBe("  auto-1  working  7 Fix it  for 1 h");
});

it("shows a dead worker as ended, whatever its file says", () => {
  expect(poolLines([view("dead")], paint)[1]).toContain("auto-1  ended");
  expect(poolJson(view("dead")).workers[0]?.state).toBe("ended");
  expect(poolJson(view("alive")).workers[0]?.state).toBe("working");
});

it("says why a pool starts nothing for now", () => {
  const lines = poolLines([view("alive", { pause: "The day's budget is spent." })], paint);
  expect(lines[1]).toContain("The day's budget is spent.");
});

it("a pool that could not be stopped comes before those that were", () => {
  expect(stoppedLine({ stopped: [], left: [] })).toBeUndefined();
  expect(stoppedLine({ stopped: ["a"], left: [] })).toMatch(/^The pool was stopped/);
  expect(stoppedLine({ stopped: ["a"], left: ["b"] })).toMatch(/^Still stopping.*: b\.$/);
});
