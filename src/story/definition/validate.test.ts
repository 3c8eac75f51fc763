import { describe, expect, it } from "vitest";
import {
  checkEpic,
  checkMembership,
  checkStory,
  checkTasks,
  DEFAULT_CEILING,
  type TaskProblem,
} from "./validate.ts";
import { epicSchema, type Epic, type EpicInput } from "./epic.ts";
import { storySchema, type Story, type StoryInput } from "./story.ts";
import { taskSchema, type Task, type TaskInput } from "./task.ts";

const task = (id: string, fields: Partial<TaskInput> = {}): Task =>
  taskSchema.parse({ id, subject: id, description: id, ...fields });
const story = (fields: Partial<StoryInput> = {}): Story =>
  storySchema.parse({ id: "add-login", title: "Add login", description: "A form.", ...fields });
const epic = (children: EpicInput["children"]): Epic =>
  epicSchema.parse({ id: "user-auth", title: "Auth", description: "Sign in.", children });
const check = (...tasks: Task[]): TaskProblem[] => checkTasks(tasks, DEFAULT_CEILING);

describe("the tasks of a story", () => {
  it("have no problems when they fit together", () => {
    expect(check(task("a"), task("b", { blockedBy: ["a"] }))).toEqual([]);
  });

  it("may only wait for tasks of the same story", () => {
    expect(check(task("a"), task("b", { blockedBy: ["a", "gone"] }))).toEqual([
      {
        taskId: "b",
        path: ["blockedBy", 1],
        severity: "error",
        message: "Task b waits for gone, which is not a task of this story.",
        fix: "Remove gone from its blockedBy, or add that task.",
      },
    ]);
  });

  it("may not wait for each other", () => {
    const round = [
      task("a", { blockedBy: ["b"] }),
      task("b", { blockedBy: ["c"] }),
      task("c", { blockedBy: ["a"] }),
    ];
    expect(check(...round)).toEqual([
      {
        taskId: "a",
        path: ["blockedBy"],
        severity: "error",
        message: "These tasks wait for each other: a → b → c → a.",
        fix: "Remove one of these blockedBy entries.",
      },
    ]);
  });

  it("may not wait for themselves", () => {
    expect(check(task("a", { blockedBy: ["a"] }))).toMatchObject([
      { taskId: "a", message: "These tasks wait for each other: a → a." },
    ]);
  });
});

describe("the size of a task", () => {
  const files = (count: number): string[] => Array.from({ length: count }, (_, n) => `f${n}.ts`);

  it("is at most 5 files and 200 lines by default", () => {
    expect(DEFAULT_CEILING).toEqual({ maxFiles: 5, maxLines: 200 });
    expect(check(task("a", { writeFiles: files(5), estimatedLines: 200 }))).toEqual([]);
  });

  it("is refused above the maximum, with the advice to split the task", () => {
    const fix = "Split it into smaller tasks: they are faster and lose less when they fail.";
    expect(check(task("a", { writeFiles: files(6), estimatedLines: 201 }))).toEqual([
      {
        taskId: "a",
        path: ["writeFiles"],
        severity: "error",
        message: "Task a declares 6 files to write; at most 5 are allowed.",
        fix,
      },
      {
        taskId: "a",
        path: ["estimatedLines"],
        severity: "error",
        message: "Task a declares 201 changed lines; at most 200 are allowed.",
        fix,
      },
    ]);
  });

  it("has its maximum in the settings", () => {
    const large = task("a", { writeFiles: files(6), estimatedLines: 500 });
    expect(checkTasks([large], { maxFiles: 6, maxLines: 500 })).toEqual([]);
  });

  it("does not matter once the task is completed", () => {
    expect(check(task("a", { estimatedLines: 999, status: "completed" }))).toEqual([]);
  });
});

describe("a completed story", () => {
  it("has only completed tasks", () => {
    const tasks = [task("a", { status: "completed" }), task("b"), task("c")];
    expect(checkStory(story({ status: "completed" }), tasks)).toEqual([
      {
        path: ["status"],
        severity: "error",
        message: "Story add-login is completed, but 2 of its 3 tasks are not.",
        fix: "Set its status back, or complete the tasks.",
      },
    ]);
  });

  it("may have no tasks at all", () => {
    expect(checkStory(story({ status: "completed" }), [])).toEqual([]);
    expect(
      checkStory(story({ status: "completed" }), [task("a", { status: "completed" })]),
    ).toEqual([]);
  });

  it("must agree with its tasks; one in progress need not", () => {
    expect(checkStory(story({ status: "in_progress" }), [task("a")])).toEqual([]);
  });
});

describe("a story and its epic", () => {
  const always = (): boolean => true;
  const never = (): boolean => false;

  it.each([
    ["the story names no epic and no epic lists it", undefined, []],
    ["one lists it", undefined, ["user-auth"]],
    ["it names the one that lists it", "user-auth", ["user-auth"]],
  ])("agree when %s", (_, named, epicsOf) => {
    expect(checkMembership(story({ epic: named }), epicsOf, always)).toEqual([]);
  });

  it("disagree when the epic does not exist", () => {
    expect(checkMembership(story({ epic: "user-auth" }), [], never)).toEqual([
      {
        path: ["epic"],
        severity: "error",
        message: "Story add-login belongs to the epic user-auth, which does not exist.",
        fix: 'Create it (`saga new epic user-auth -d "…"`), or correct the name.',
      },
    ]);
  });

  it("disagree when the epic does not list the story", () => {
    expect(checkMembership(story({ epic: "user-auth" }), ["other"], always)).toEqual([
      {
        path: ["epic"],
        severity: "error",
        message: "Story add-login belongs to the epic user-auth, which does not list it.",
        fix: 'Add { "id": "add-login", "blockedBy": [] } to the children of user-auth.',
      },
    ]);
  });

  it("disagree when two epics list the story", () => {
    expect(checkMembership(story(), ["one", "two"], always)).toEqual([
      {
        path: ["id"],
        severity: "error",
        message: "Story add-login is listed by more than one epic: one, two.",
        fix: "Keep it in one of them.",
      },
    ]);
  });
});

describe("the stories of an epic", () => {
  const exists = (id: string): boolean => id !== "gone";

  it("have no problems when they fit together", () => {
    expect(checkEpic(epic([{ id: "a" }, { id: "b", blockedBy: ["a"] }]), exists)).toEqual([]);
  });

  it("exist", () => {
    expect(checkEpic(epic([{ id: "a" }, { id: "gone" }]), exists)).toEqual([
      {
        path: ["children", 1, "id"],
        severity: "error",
        message: "Epic user-auth lists the story gone, which does not exist.",
        fix: 'Create it (`saga new story gone --epic user-auth -d "…"`), or remove it here.',
      },
    ]);
  });

  it("may only wait for stories of the same epic", () => {
    expect(checkEpic(epic([{ id: "a" }, { id: "b", blockedBy: ["a", "x"] }]), exists)).toEqual([
      {
        path: ["children", 1, "blockedBy", 1],
        severity: "error",
        message: "Story b waits for x, which is not a story of the epic user-auth.",
        fix: "Remove x from its blockedBy, or add that story to the epic.",
      },
    ]);
  });

  it("may not wait for each other", () => {
    const round = epic([{ id: "x" }, { id: "a", blockedBy: ["b"] }, { id: "b", blockedBy: ["a"] }]);
    expect(checkEpic(round, exists)).toEqual([
      {
        path: ["children", 1, "blockedBy"],
        severity: "error",
        message: "These stories wait for each other: a → b → a.",
        fix: "Remove one of these blockedBy entries.",
      },
    ]);
  });

  it("are listed once, and wait for another once", () => {
    const twice = epic([{ id: "a" }, { id: "b", blockedBy: ["a", "a"] }, { id: "a" }]);
    expect(checkEpic(twice, exists)).toMatchObject([
      { path: ["children", 2, "id"], message: "Epic user-auth lists a twice." },
      { path: ["children", 1, "blockedBy", 1], message: "Story b lists a twice." },
    ]);
  });
});
