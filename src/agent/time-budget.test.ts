import { expect, it } from "vitest";
import { newFolder } from "../../test/support/project.ts";
import { newTimeBudget, type TimeBudget } from "./time-budget.ts";

interface Given {
  readonly wait?: number;
  readonly nowMs?: number;
}

function budget({ wait }: Given = {}) {
  let nowMs = 1_000;
  const notes: string[] = [];
  const made: TimeBudget<string> = newTimeBudget<string>({
    env: { XDG_STATE_HOME: newFolder().path },
    now: () => nowMs,
    stop: AbortSignal.abort(),
    settings: { limits: { wait, pause: 60 } },
    record: { note: ({ type }) => void notes.push(type) },
    maxMs: 10_000,
    model: "opus",
    stopped: "stopped",
    tooLong: (reason) => reason,
  });
  const pass = (ms: number): void => void (nowMs += ms);
  return { made, pass, notes };
}

const LIMIT = { kind: "limit", reason: "Too much.", resetsAtMs: undefined, family: undefined };
const reached = ({ recordLimit }: TimeBudget<string>): void =>
  recordLimit(LIMIT as unknown as Parameters<typeof recordLimit>[0]);

it("the time of the gate does not count", async () => {
  const { made, pass } = budget();
  await made.pauseDuring(async () => pass(5_000));
  expect(made.deadlineMs()).toBe(16_000);
});

it("without a usage limit there is nothing to wait for", async () => {
  expect(await budget().made.waitForUsageLimit()).toBeUndefined();
});

it("a limit that ends after the deadline ends the run, with its time", async () => {
  const { made, notes } = budget();
  reached(made);
  expect(await made.waitForUsageLimit()).toMatch(/^Too much\. The limit ends at 1970-01-01T00:01:/);
  expect(notes).toEqual([]);
});

it("with time of its own, waiting moves the deadline", async () => {
  const { made, notes } = budget({ wait: 60 });
  reached(made);
  const before = made.deadlineMs();
  expect(await made.waitForUsageLimit()).toBe("stopped");
  expect(notes).toEqual(["limit.reached"]);
  expect(made.deadlineMs()).toBeGreaterThan(before + 50_000);
});
