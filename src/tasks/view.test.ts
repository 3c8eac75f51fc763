import { describe, expect, it } from "vitest";
import { claudeTask } from "../../test/support/claude-list.ts";
import type { ClaudeCodeTask } from "../claude/tasks/format.ts";
import { newListing, type PoolListing } from "./listing.ts";
import { inOrder, viewList, type ListFacts } from "./view.ts";
import { poolTaskOf } from "./task.ts";

const NO_FACTS: ListFacts = { dead: new Set(), running: new Map() };
const held = {
  saga: { held: { kind: "blocker", why: "Which?", at: "x" }, lastFailure: "Before." },
};
const failed = { saga: { lastFailure: "It failed.", attempts: 2 } };

function listingOf(...tasks: ClaudeCodeTask[]): PoolListing {
  const listing = newListing((id) => `/list/${id}.json`);
  for (const task of tasks) {
    const { task: pool } = poolTaskOf(task, 0);
    if (!pool) throw new Error(`${task.id} is not a task.`);
    listing.put(task.id, { task, pool });
  }
  return listing;
}

const viewOf = (task: ClaudeCodeTask, facts = NO_FACTS) =>
  viewList(listingOf(task, claudeTask("open")), facts).find(({ id }) => id === task.id);

describe("the state of a task, and the reason", () => {
  const claimed = { status: "in_progress", owner: "auto-1" } as const;
  it.each<[state: string, why: string | undefined, more: Partial<ClaudeCodeTask>]>([
    ["completed", undefined, { status: "completed", metadata: held, blockedBy: ["none"] }],
    ["working", undefined, claimed],
    ["working", "It failed.", { ...claimed, metadata: failed }],
    ["working", undefined, { owner: "about to begin" }],
    ["needs-you", "Which?", { metadata: held, blockedBy: ["open"] }],
    ["broken", "Task 1 waits for none, which does not exist.", { blockedBy: ["none"] }],
    ["broken", "Tasks wait for each other in a cycle: 1 → 1.", { blockedBy: ["1"] }],
    ["waiting", "It failed.", { metadata: failed, blockedBy: ["open"] }],
    ["ready", "It failed.", { metadata: failed }],
  ])("%s, %s", (state, why, more) => {
    expect(viewOf(claudeTask("1", more))).toMatchObject({ id: "1", state, why });
  });

  it("is abandoned when its owner has died, unless a living worker reports the task", () => {
    const task = claudeTask("1", claimed);
    const dead = new Set(["1"]);
    expect(viewOf(task, { ...NO_FACTS, dead })).toMatchObject({
      state: "abandoned",
      why: "auto-1 has died. The pool will take the task back.",
    });
    const inHand = (worker: string) => new Map([["1", { worker, sinceMs: 0 }]]);
    expect(viewOf(task, { dead, running: inHand("auto-1") })?.state).toBe("working");
    expect(viewOf(task, { dead, running: inHand("auto-2") })?.state).toBe("abandoned");
  });

  it("has the start of the work, from its worker or else from its file", () => {
    const changedAtMs = (): number => 2000;
    const inHand = new Map([["1", { worker: "auto-1", sinceMs: 1000 }]]);
    const since = (task: ClaudeCodeTask, facts: Partial<ListFacts>) =>
      viewOf(task, { ...NO_FACTS, changedAtMs, ...facts })?.since;
    expect(since(claudeTask("1", claimed), { running: inHand })).toBe("1970-01-01T00:00:01.000Z");
    expect(since(claudeTask("1", claimed), {})).toBe("1970-01-01T00:00:02.000Z");
    expect(since(claudeTask("1"), { running: inHand })).toBeUndefined();
  });
});

describe("a file that is not a task", () => {
  const problem = { kind: "invalid-task", taskId: "1", message: "It is not a task." } as const;

  it("is broken, and shows Claude's fields", () => {
    const listing = listingOf();
    listing.put("1", { problem, task: claudeTask("1", { owner: "someone" }) });
    listing.put("2", { problem: { ...problem, taskId: "2" } });
    expect(viewList(listing, NO_FACTS)).toMatchObject([
      { id: "1", subject: "Do 1", owner: "someone", state: "broken", why: "It is not a task." },
      { id: "2", subject: "", owner: undefined, state: "broken", why: "It is not a task." },
    ]);
  });

  it("is a task again when it is fixed, and gone when its file is", () => {
    const listing = listingOf(claudeTask("1"));
    listing.put("1", { problem });
    expect([listing.tasks.size, listing.broken.size]).toEqual([0, 1]);
    expect(listing.board.problems()).toEqual([problem]);
    listing.put("1", listingOf(claudeTask("1")).tasks.get("1"));
    expect([listing.tasks.size, listing.broken.size]).toEqual([1, 0]);
    listing.put("1", undefined);
    expect(viewList(listing, NO_FACTS)).toEqual([]);
  });
});

it("tasks are shown by state, and within one state in the order of selection", () => {
  const listing = listingOf(
    claudeTask("1", { status: "completed" }),
    claudeTask("2"),
    claudeTask("3", { metadata: { priority: 0 } }),
    claudeTask("4", { blockedBy: ["3"] }),
    claudeTask("10", { status: "in_progress", owner: "someone" }),
  );
  const views = inOrder(viewList(listing, NO_FACTS), listing.tasks);
  expect(views.map(({ id }) => id)).toEqual(["10", "3", "2", "4", "1"]);
});
