import { expect, it } from "vitest";
import { poolTaskOf } from "../../../tasks/task.ts";
import type { TaskEntry } from "../../../tasks/listing.ts";
import { findOtherWork, planTasks, withStories, type ListToPlan } from "./plan-tasks.ts";

function entry(id: string, more: Record<string, unknown> = {}): [string, TaskEntry] {
  const task = {
    id,
    subject: `Task ${id}`,
    description: "",
    status: "pending" as const,
    blocks: [],
    blockedBy: [],
    ...more,
  };
  const { task: pool } = poolTaskOf(task, 0);
  if (pool === undefined) throw new Error("not a task");
  return [id, { task, pool }];
}

const listOf = (entries: readonly [string, TaskEntry][], listId = "loose"): ListToPlan => {
  const tasks = new Map(entries);
  return {
    listId,
    tasks,
    blockers: (id) => tasks.get(id)?.pool.blockedBy ?? [],
    checksOf: ({ checks }) => checks,
    contextOf: (label) => ({ prologue: label === "ui" ? "Read this." : "", epilogue: "" }),
  };
};

it("makes a story of each open task, with what its agent needs", () => {
  const answers = [{ question: "Colour?", answer: "Blue." }];
  const metadata = { label: "ui", priority: 1, checks: ["npm test"], saga: { answers } };
  const { epicId, stories, left } = planTasks(
    listOf([
      entry("1", { description: "Newest first.", metadata }),
      entry("Odd_Name", { blockedBy: ["1", "done"] }),
      entry("done", { status: "completed" }),
    ]),
  );
  expect(epicId).toBe("loose");
  expect(left.size).toBe(0);
  expect([...stories.keys()]).toEqual(["1", "Odd_Name"]);
  expect(stories.get("1")).toEqual({
    story: {
      id: "loose--task-1",
      title: "Task 1",
      description: "Read this.\n\nNewest first.\n\nQuestion: Colour?\nAnswer: Blue.",
      epic: "loose",
      status: "pending",
      priority: 1,
      labels: ["ui"],
      checks: ["npm test"],
    },
    task: {
      id: "task-1",
      subject: "Task 1",
      description: "Read this.\n\nNewest first.\n\nQuestion: Colour?\nAnswer: Blue.",
    },
    blockedBy: [],
    isShared: false,
  });
  expect(stories.get("Odd_Name")).toMatchObject({
    story: { id: "loose--task-odd-name", description: "Task Odd_Name" },
    blockedBy: ["loose--task-1"],
  });
});

it("leaves what someone has or a person must decide, and what waits for it", () => {
  const held = { saga: { held: { kind: "blocker", why: "Which?", at: "" } } };
  const { stories, left } = planTasks(
    listOf([
      entry("last", { blockedBy: ["after"] }),
      entry("after", { blockedBy: ["held"] }),
      entry("held", { metadata: held }),
      entry("theirs", { status: "in_progress", owner: "ann" }),
      entry("fleets", { status: "in_progress", owner: "fleet: bob" }),
    ]),
  );
  expect([...stories.keys()]).toEqual(["fleets"]);
  expect(Object.fromEntries(left)).toEqual({
    held: "needs you",
    theirs: "ann works on it",
    after: "waits for held",
    last: "waits for after",
  });
});

it("refuses names that cannot become stories, or become the same one", () => {
  for (const list of [
    listOf([entry("1")], "…"),
    listOf([entry("a_b"), entry("a-b")]),
    listOf([entry("x".repeat(120))]),
  ]) {
    expect(() => planTasks(list)).toThrow("cannot become the name of a story");
  }
});

it("adds stories to the epic of the list, and keeps what it has", () => {
  const plan = planTasks(listOf([entry("1"), entry("2", { blockedBy: ["1"] })]));
  const epic = withStories(undefined, plan, "loose");
  expect(epic).toMatchObject({
    id: "loose",
    persistent: true,
    delivery: "story-pr",
    children: [
      { id: "loose--task-1", blockedBy: [] },
      { id: "loose--task-2", blockedBy: ["loose--task-1"] },
    ],
  });
  const [first] = epic.children;
  const known = { ...epic, title: "Mine", children: first ? [first] : [] };
  expect(withStories(known, plan, "loose")).toEqual({ ...epic, title: "Mine" });
});

it.each([
  ["is done", "pending", { title: "Task 1", isCompleted: true }, "1"],
  ["is other work", "pending", { title: "Other", isCompleted: false }, "1"],
  ["was taken back by a person", "pending", { title: "Task 1", isCompleted: false }, undefined],
  ["does not exist", "pending", undefined, undefined],
  ["is done by the fleet", "fleet: bob", { title: "Task 1", isCompleted: true }, undefined],
])("a task whose story %s", (_, owner, existing, taskId) => {
  const more = owner === "pending" ? {} : { status: "in_progress", owner };
  const plan = planTasks(listOf([entry("1", more)]));
  expect(findOtherWork(plan, () => existing)?.taskId).toBe(taskId);
});
