import { expect, it } from "vitest";
import type { DaemonEnd } from "../../pool/daemon/request.ts";
import { EXIT } from "../../story/state/exit-codes.ts";
import { painter } from "../output/terminal.ts";
import { poolResult } from "./pool-daemon.ts";

const paint = painter(false);
const result = (more: Partial<DaemonEnd>) =>
  poolResult("list", "1a2b3c4d", {
    kind: "done",
    problem: undefined,
    counts: { eligible: 0, waiting: 0, held: 0 },
    completed: [],
    failed: [],
    held: [],
    ...more,
  } as DaemonEnd);

const waiting = { eligible: 0, waiting: 0, held: 1 } as DaemonEnd["counts"];

it.each<[DaemonEnd["kind"], number]>([
  ["done", EXIT.done],
  ["drained", EXIT.done],
  ["stopped", EXIT.done],
  ["failed", EXIT.error],
  ["budget", EXIT.limit],
])("a pool that is %s exits with %i", (kind, exitCode) => {
  expect(result({ kind }).exitCode).toBe(exitCode);
});

it("a pool that is done but for what a person must answer has an exit code of its own", () => {
  expect(result({ counts: waiting }).exitCode).toBe(EXIT.question);
  expect(result({ kind: "failed", counts: waiting }).exitCode).toBe(EXIT.error);
});

it("says what was done, what is left, and what went wrong", () => {
  const counts = { eligible: 2, waiting: 1, held: 1 } as DaemonEnd["counts"];
  const problem = { kind: "crashed", file: "7.json", message: "It crashed." } as const;
  expect(result({ kind: "failed", counts, problem, completed: ["1"] }).text(paint)).toBe(
    "The pool failed: 1 task completed, 2 ready, 1 waiting for others, 1 needs you (`saga task list`).\ncrashed in 7.json: It crashed.\n",
  );
});
