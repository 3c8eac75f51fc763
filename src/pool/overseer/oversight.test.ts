import { describe, expect, it } from "vitest";
import type { PoolProblem } from "../../tasks/problem.ts";
import { judgeEnd, nextTry, NO_TRIES, type DaemonExit } from "./oversight.ts";

const failure: PoolProblem = { kind: "invalid-json", file: "/l/3.json", message: "No JSON." };
const end: DaemonExit = {
  exitCode: 0,
  signal: undefined,
  wasHung: false,
  failure: undefined,
  hasLived: true,
  lastWords: "",
};

describe("a daemon that ends", () => {
  it.each([0, 2, 3, 4, 64] as const)("with %s is done, and so is its overseer", (exitCode) => {
    expect(judgeEnd({ ...end, exitCode })).toEqual({ kind: "clean", exitCode });
  });

  it.each(["SIGTERM", "SIGINT"])("by %s was stopped by a person", (signal) => {
    expect(judgeEnd({ ...end, exitCode: undefined, signal }).kind).toBe("clean");
  });

  it("with a recorded failure has that one", () => {
    expect(judgeEnd({ ...end, exitCode: 1, failure })).toEqual({ kind: "failed", failure });
  });

  it("without one has crashed, and its last output is quoted", () => {
    expect(judgeEnd({ ...end, exitCode: 1, lastWords: "TypeError: x" })).toEqual({
      kind: "failed",
      failure: {
        kind: "crashed",
        message: "The pool ended with 1. Its last output: TypeError: x",
      },
    });
    expect(judgeEnd({ ...end, exitCode: undefined, signal: "SIGKILL" })).toMatchObject({
      failure: { kind: "crashed", message: "The pool was ended by SIGKILL." },
    });
  });

  it("before its first heartbeat refused to start, and is not retried", () => {
    const refused = { ...end, exitCode: 1, hasLived: false, lastWords: "There is no claude." };
    expect(judgeEnd(refused)).toEqual({ kind: "refused", why: "There is no claude." });
  });

  it("because it did not respond counts as hung, whatever it printed", () => {
    expect(judgeEnd({ ...end, exitCode: 0, wasHung: true })).toMatchObject({
      kind: "failed",
      failure: { kind: "hung" },
    });
  });
});

describe("the same failure", () => {
  const limits = { repairs: 3, pauseMs: 10_000 };

  it("is tried a limited number of times, with doubled pauses", () => {
    const pauses: number[] = [];
    let next = nextTry(NO_TRIES, failure, limits);
    while (next.kind === "try") {
      pauses.push(next.pauseMs);
      next = nextTry(next.tries, { ...failure, message: `Once more: ${pauses.length}` }, limits);
    }
    expect(pauses).toEqual([10_000, 20_000, 40_000]);
    expect(next).toEqual({ kind: "give-up", attempts: 3 });
  });

  it("has the same kind and file; others are counted separately", () => {
    const first = nextTry(NO_TRIES, failure, { ...limits, repairs: 1 });
    const tries = first.kind === "try" ? first.tries : NO_TRIES;
    expect(nextTry(tries, failure, { ...limits, repairs: 1 }).kind).toBe("give-up");
    for (const other of [
      { ...failure, file: "/l/4.json" },
      { ...failure, kind: "invalid-task" as const },
    ]) {
      expect(nextTry(tries, other, { ...limits, repairs: 1 }).kind).toBe("try");
    }
  });

  it("is not repaired if no repairs are allowed", () => {
    expect(nextTry(NO_TRIES, failure, { ...limits, repairs: 0 }).kind).toBe("give-up");
  });

  it("is not tried if only a person can fix it", () => {
    const next = nextTry(NO_TRIES, { ...failure, needsPerson: true }, limits);
    expect(next).toEqual({ kind: "give-up", attempts: 0 });
  });

  it("never waits for hours", () => {
    const tries = new Map([["invalid-json /l/3.json", 30]]);
    expect(nextTry(tries, failure, { repairs: 99, pauseMs: 10_000 })).toMatchObject({
      pauseMs: 600_000,
    });
  });
});
