import { describe, expect, it } from "vitest";
import { poolTask } from "../../../test/support/claude-list.ts";
import type { PoolTask } from "../../tasks/task.ts";
import { nextSteps, type PoolSituation, type WorkerView } from "./plan.ts";

const task = (id: string, more: Partial<PoolTask> = {}): PoolTask => ({ ...poolTask(id), ...more });

const idle = (name: string): WorkerView => ({ name, state: "idle", given: undefined });
const busy = (name: string, given: string): WorkerView => ({ name, state: "busy", given });

const view = (more: Partial<PoolSituation>): PoolSituation => ({
  eligible: [],
  busyLabels: [],
  workers: [idle("auto-1"), idle("auto-2")],
  mode: "running",
  isOnce: false,
  except: new Set(),
  isRecoveryDue: false,
  ...more,
});

const given = (more: Partial<PoolSituation>): string[] =>
  nextSteps(view(more)).assignments.map(({ worker, task: { id } }) => `${worker} ${id}`);

describe("a daemon that runs", () => {
  it("is not idle while a dead worker's task must be returned to the list", () => {
    expect(nextSteps(view({ isOnce: true })).isIdle).toBe(true);
    expect(nextSteps(view({ isOnce: true, isRecoveryDue: true })).isIdle).toBe(false);
  });

  it("gives each idle worker a task of its own", () => {
    expect(given({ eligible: [task("1"), task("2"), task("3")] })).toEqual([
      "auto-1 1",
      "auto-2 2",
    ]);
  });

  it("does not assign a task twice before the list shows its owner", () => {
    const workers = [busy("auto-1", "1"), idle("auto-2")];
    expect(given({ workers, eligible: [task("1"), task("2")] })).toEqual(["auto-2 2"]);
  });

  it("does not assign a task that could not be claimed a moment ago", () => {
    expect(given({ eligible: [task("1")], except: new Set(["1"]) })).toEqual([]);
  });

  it("starts workers that are missing, but not one that has just died", () => {
    const workers: WorkerView[] = [
      { name: "auto-1", state: "gone", given: undefined },
      { name: "auto-2", state: "resting", given: undefined },
    ];
    expect(nextSteps(view({ workers })).start).toEqual(["auto-1"]);
  });

  it("is idle if no task can be started and none is assigned", () => {
    expect(nextSteps(view({})).isIdle).toBe(true);
    expect(nextSteps(view({ eligible: [task("1")] })).isIdle).toBe(false);
    expect(nextSteps(view({ workers: [busy("auto-1", "1")] })).isIdle).toBe(false);
  });

  it("starts no worker with --once if there is nothing to do", () => {
    const workers: WorkerView[] = [{ name: "auto-1", state: "gone", given: undefined }];
    expect(nextSteps(view({ workers, isOnce: true })).start).toEqual([]);
    expect(nextSteps(view({ workers, isOnce: true, eligible: [task("1")] })).start).toEqual([
      "auto-1",
    ]);
  });
});

describe("a daemon that drains", () => {
  it("assigns no task, and ends idle workers", () => {
    const workers = [busy("auto-1", "1"), idle("auto-2")];
    const steps = nextSteps(view({ mode: "draining", workers, eligible: [task("2")] }));
    expect(steps).toMatchObject({ assignments: [], dismiss: ["auto-2"], start: [], isOver: false });
  });

  it("ends when no worker is left", () => {
    const workers: WorkerView[] = [
      { name: "auto-1", state: "gone", given: undefined },
      { name: "auto-2", state: "resting", given: undefined },
    ];
    expect(nextSteps(view({ mode: "draining", workers })).isOver).toBe(true);
  });
});
