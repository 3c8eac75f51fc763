import { describe, expect, it } from "vitest";
import { epicSchema } from "../definition/epic.ts";
import type { Status } from "../definition/status.ts";
import {
  epicLinks,
  epicStatus,
  STORY_STATES,
  storyState,
  taskLink,
  taskStates,
  type StoryFacts,
  type StoryState,
} from "./state.ts";
import { taskSchema, type Task } from "../definition/task.ts";

/** A ready story, with some facts changed. */
const stateOf = (facts: Partial<StoryFacts>): StoryState =>
  storyState({
    status: "pending",
    tasks: tasks("pending"),
    waitsFor: [],
    isEpicBroken: false,
    openBlockers: 0,
    worker: "none",
    isSilent: false,
    hasRun: facts.lastOutcome !== undefined,
    hasOpenRun: false,
    isWorktreeGone: false,
    hasUnmergedWork: false,
    ...facts,
  });
const tasks = (...statuses: Status[]): { status: Status }[] =>
  statuses.map((status) => ({ status }));

/** Everything is done and merged. */
const merged: Partial<StoryFacts> = { status: "completed", tasks: tasks("completed") };

describe("a story is", () => {
  it("shown in one of fourteen states", () => {
    expect(STORY_STATES).toHaveLength(14);
  });

  it("pending while its epic cannot be read", () => {
    expect(stateOf({ isEpicBroken: true })).toBe("pending");
  });

  it("ready when it can be started", () => {
    expect(stateOf({})).toBe("ready");
    expect(stateOf({ tasks: [] })).toBe("ready");
  });

  it("waiting when another story of its epic comes first", () => {
    expect(stateOf({ waitsFor: ["a"] })).toBe("waiting");
    expect(stateOf({ waitsFor: ["a"], tasks: [] })).toBe("waiting");
  });

  it("running when a living worker holds its lease", () => {
    expect(stateOf({ worker: "alive", status: "in_progress" })).toBe("running");
  });

  it("stalled when a living worker holds its lease and its agent is silent", () => {
    expect(stateOf({ worker: "alive", isSilent: true })).toBe("stalled");
  });

  it("blocked when a question for a person is open", () => {
    expect(stateOf({ openBlockers: 1 })).toBe("blocked");
  });

  it("failed when the last run ended with an error", () => {
    expect(stateOf({ lastOutcome: "failed", status: "in_progress" })).toBe("failed");
  });

  it.each(["in_progress", "completed"] as const)(
    "unfinished when a task is %s and no run is known",
    (status) => {
      expect(stateOf({ tasks: tasks(status, "pending") })).toBe("unfinished");
    },
  );

  it("killed when its worker is dead", () => {
    expect(stateOf({ worker: "dead" })).toBe("killed");
  });

  it("in review when every task is completed and it is not merged", () => {
    const all = tasks("completed", "completed");
    expect(stateOf({ tasks: all })).toBe("review");
    expect(stateOf({ tasks: all, status: "in_progress", lastOutcome: "done" })).toBe("review");
    expect(stateOf({ ...merged, hasUnmergedWork: true })).toBe("review");
  });

  it("completed when its status and tasks are, and nothing is left to merge", () => {
    expect(stateOf(merged)).toBe("completed");
    expect(stateOf({ status: "completed", tasks: [] })).toBe("completed");
  });

  it("not completed by its status alone, while a task is open", () => {
    expect(stateOf({ status: "completed", tasks: tasks("completed", "pending") })).toBe(
      "unfinished",
    );
  });

  it("not stalled when its silent worker is dead", () => {
    expect(stateOf({ worker: "dead", isSilent: true })).toBe("killed");
  });
});

// Without a worker, a question or a merge: the state by the outcome of the last run.
describe("a story that was begun is", () => {
  type Ending = "no run" | "open" | NonNullable<StoryFacts["lastOutcome"]>;
  const factsOf = (ending: Ending): Partial<StoryFacts> => {
    switch (ending) {
      case "no run":
        return {};
      case "open":
        return { hasRun: true, hasOpenRun: true };
      default:
        return { lastOutcome: ending };
    }
  };
  /** Tasks left; a task in progress; all done; worktree removed by hand, with a branch. */
  const table: readonly (readonly [Ending, StoryState, StoryState, StoryState, StoryState])[] = [
    //           left         in progress   all done     worktree gone
    ["no run", "unfinished", "unfinished", "review", "unfinished"],
    ["open", "killed", "killed", "killed", "killed"],
    ["killed", "killed", "killed", "killed", "killed"],
    ["stopped", "stopped", "stopped", "stopped", "stopped"],
    ["limit", "limit", "limit", "limit", "limit"],
    ["failed", "failed", "failed", "failed", "failed"],
    // Split or in conflict: new work that ended no run.
    ["done", "ready", "unfinished", "review", "unfinished"],
    ["push-failed", "ready", "unfinished", "review", "unfinished"],
    ["sent-back", "sent-back", "sent-back", "review", "unfinished"],
    // Answered: a task may have been in progress when the question was asked.
    ["blocked", "ready", "ready", "ready", "unfinished"],
    ["merged", "completed", "completed", "completed", "completed"],
  ];
  const rows = table.flatMap(([ending, left, inHand, allDone, gone]) => {
    const begun = { status: "in_progress", hasUnmergedWork: true } as const;
    return [
      [left, ending, "work is left", { ...begun, tasks: tasks("completed", "pending") }],
      [inHand, ending, "a task is in hand", { ...begun, tasks: tasks("completed", "in_progress") }],
      [allDone, ending, "all is done", { ...begun, tasks: tasks("completed", "completed") }],
      [gone, ending, "its worktree is gone", { isWorktreeGone: true }],
    ] as const;
  });

  it.each(rows)("%s when its last run says %s and %s", (state, ending, _, facts) => {
    expect(stateOf({ ...factsOf(ending), ...facts })).toBe(state);
  });

  it("ready, waiting or pending with new work, like one that was not begun", () => {
    const sentBack = { status: "in_progress", lastOutcome: "sent-back" } as const;
    expect(stateOf(sentBack)).toBe("sent-back");
    expect(stateOf({ ...sentBack, waitsFor: ["a"] })).toBe("waiting");
    expect(stateOf({ ...sentBack, isEpicBroken: true })).toBe("pending");
  });
});

// From the strongest to the weakest: each fact hides those after it.
describe("of several facts at once", () => {
  const ranked: readonly (readonly [StoryState, Partial<StoryFacts>])[] = [
    ["running", { worker: "alive" }],
    ["blocked", { openBlockers: 2 }],
    ["killed", { worker: "dead" }],
    ["failed", { lastOutcome: "failed" }],
    ["unfinished", { isWorktreeGone: true }],
    ["review", { tasks: tasks("completed"), hasUnmergedWork: true }],
    ["unfinished", { status: "in_progress" }],
    ["waiting", { waitsFor: ["a"] }],
    ["ready", {}],
  ];
  const pairs = ranked.flatMap(([stronger, fact], place) =>
    ranked.slice(place + 1).map(([weaker, other]) => [stronger, weaker, fact, other] as const),
  );

  it.each(pairs)("%s is shown before %s", (stronger, _, fact, other) => {
    expect(stateOf({ ...other, ...fact })).toBe(stronger);
  });

  it("stalled is shown before everything that running hides", () => {
    expect(stateOf({ worker: "alive", isSilent: true, openBlockers: 1, waitsFor: ["a"] })).toBe(
      "stalled",
    );
  });

  it.each([
    ["an open blocker", { openBlockers: 1 }],
    ["a failed run", { lastOutcome: "failed" }],
    ["a dead worker's lease", { worker: "dead" }],
    ["a story that should have come first", { waitsFor: ["a"] }],
  ] as const)("a merge is shown before %s", (_, fact) => {
    expect(stateOf({ ...merged, ...fact })).toBe("completed");
  });

  it("a living worker is shown before a merge", () => {
    expect(stateOf({ ...merged, worker: "alive" })).toBe("running");
  });
});

const task = (id: string, status: Status = "pending", blockedBy: string[] = []): Task =>
  taskSchema.parse({ id, subject: id, description: id, status, blockedBy });

describe("a task is", () => {
  it("ready when all its blockers are completed, and waiting otherwise", () => {
    const states = taskStates(
      [task("a", "completed"), task("b", "pending", ["a"]), task("c", "pending", ["a", "b"])],
      "ready",
    );
    expect(states).toEqual(
      new Map([
        ["a", "completed"],
        ["b", "ready"],
        ["c", "waiting"],
      ]),
    );
  });

  it("waiting when its blocker does not exist", () => {
    expect(taskStates([task("a", "pending", ["gone"])], "running").get("a")).toBe("waiting");
  });

  it("waiting while its story waits for another", () => {
    expect(taskStates([task("a", "pending", [])], "waiting").get("a")).toBe("waiting");
    expect(taskStates([task("a", "completed", [])], "waiting").get("a")).toBe("completed");
  });

  it("running with a living worker, and unfinished without", () => {
    const begun = [task("a", "in_progress", ["b"]), task("b")];
    expect(taskStates(begun, "running").get("a")).toBe("running");
    expect(taskStates(begun, "ready").get("a")).toBe("unfinished");
  });
});

describe("links", () => {
  it("of a task are done when it is completed", () => {
    expect(taskLink(task("b", "completed", ["a"]))).toEqual({
      id: "b",
      blockedBy: ["a"],
      isDone: true,
    });
    expect(taskLink(task("b", "in_progress")).isDone).toBe(false);
  });

  it("of an epic are its stories, done when they are completed", () => {
    const epic = epicSchema.parse({
      id: "e",
      title: "E",
      description: "e",
      children: [{ id: "a" }, { id: "b", blockedBy: ["a"] }],
    });
    expect(epicLinks(epic, (id) => id === "a")).toEqual([
      { id: "a", blockedBy: [], isDone: true },
      { id: "b", blockedBy: ["a"], isDone: false },
    ]);
  });
});

describe("an epic is", () => {
  it.each([
    ["pending without stories", [], "pending"],
    ["pending while no story has begun", ["pending", "waiting", "ready"], "pending"],
    ["in progress once a story has begun", ["ready", "running"], "in_progress"],
    ["in progress when some stories are completed", ["completed", "ready"], "in_progress"],
    ["in progress when a story failed", ["failed"], "in_progress"],
    ["in progress while a story is in review", ["completed", "review"], "in_progress"],
    ["completed when every story is", ["completed", "completed"], "completed"],
  ] as const)("%s", (_, states, expected) => {
    expect(epicStatus(states.map((state) => ({ state, isBegun: false })))).toBe(expected);
  });

  it("in progress when all its stories are completed and it stays open for more", () => {
    expect(epicStatus([{ state: "completed", isBegun: true }], true)).toBe("in_progress");
  });

  it("in progress when its only story was sent back", () => {
    expect(epicStatus([{ state: "sent-back", isBegun: true }])).toBe("in_progress");
  });
});
