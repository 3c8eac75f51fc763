import { expect, it } from "vitest";
import type { PoolTaskView } from "../../tasks/view.ts";
import { renderTasks } from "./task-lines.ts";
import { painter } from "./terminal.ts";

const task = (more: Partial<PoolTaskView>): PoolTaskView => ({
  id: "1",
  subject: "Write",
  state: "ready",
  why: undefined,
  priority: undefined,
  label: undefined,
  owner: undefined,
  since: undefined,
  waitsFor: [],
  attempts: 0,
  ...more,
});

const nowMs = Date.parse("2026-01-01T00:05:00.000Z");
const render = (...views: PoolTaskView[]) =>
  renderTasks({ views, problems: [], unseen: [] }, painter(false), nowMs);

it("says for how long someone has been working, if that is known", () => {
  const since = "2026-01-01T00:00:00.000Z";
  expect(render(task({ state: "working", owner: "w1", since }))).toContain("w1, for 5 min");
  expect(render(task({ state: "working" }))).toContain("someone\n");
});

it("shows only the first line of a question", () => {
  expect(render(task({ state: "needs-you", why: "Which?\nA or B." }))).toMatch(/Which\?\n$/);
});

it("mentions failures and an unusual priority, but not the usual one", () => {
  expect(render(task({ attempts: 2, priority: 1 }))).toContain("ready, failed 2 times, priority 1");
  expect(render(task({ priority: 3 }))).not.toContain("priority");
});

it("says that a problem stops the pool", () => {
  const problem = { kind: "cycle", message: "6 → 7 → 6" } as const;
  const shown = (problems: (typeof problem)[]) =>
    renderTasks({ views: [], problems, unseen: [] }, painter(false), 0);
  expect(shown([problem])).toContain("1 problem; the pool starts no task until it is fixed:");
  expect(shown([problem, problem])).toContain(
    "2 problems; the pool starts no task until they are fixed:",
  );
});

it("a subject cannot move the cursor", () => {
  expect(render(task({ subject: "a\u001B[2Jb" }))).not.toContain("\u001B");
});
