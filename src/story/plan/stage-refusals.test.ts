import { describe, expect, it } from "vitest";
import {
  type Fields,
  task,
  story,
  epic,
  project,
  empty,
  stage,
  written,
} from "../../../test/support/staging.ts";
import { DEFAULT_CEILING } from "../definition/validate.ts";
import { parsePlan } from "./plan.ts";
import { stagePlan, type Staging } from "./stage.ts";

const messages = ({ problems }: Staging): string[] => problems.map(({ message }) => message);

describe("a plan is refused", () => {
  it("with an id that occurs twice, for epics, stories and tasks", () => {
    const staging = stage(empty, {
      epics: [epic("e"), epic("e")],
      stories: [story("a", { tasks: [task("t"), task("t")] }), story("a")],
    });
    expect(staging.problems).toMatchObject([
      { path: ["epics", 1, "id"], message: "The plan has e twice.", fix: "Remove one of the two." },
      { path: ["stories", 1, "id"], message: "The plan has a twice." },
      { path: ["stories", 0, "tasks", 1, "id"], message: "The plan has t twice." },
    ]);
  });

  it("with another branch of an epic, or a number of its pull request", () => {
    const named = (more: Fields): Staging => stage(empty, { epics: [epic("e", more)] });
    expect(named({ branch: "epic/e", persistent: true }).problems).toEqual([]);
    expect(named({ branch: "release" }).problems).toMatchObject([
      {
        path: ["epics", 0, "branch"],
        message: "Epic e names the branch release, but its branch is always `epic/e`.",
      },
    ]);
    expect(named({ prNumber: 7 }).problems).toMatchObject([
      {
        path: ["epics", 0, "prNumber"],
        message: "Epic e names the pull request 7, but Saga opens its own.",
      },
    ]);
  });

  it("but not when two stories have a task of the same name", () => {
    const stories = [story("a", { tasks: [task("t")] }), story("b", { tasks: [task("t")] })];
    expect(stage(empty, { stories }).problems).toEqual([]);
  });

  it("with tasks that wait for each other", () => {
    const tasks = [task("x"), task("t", { blockedBy: ["u"] }), task("u", { blockedBy: ["t"] })];
    expect(stage(empty, { stories: [story("a", { tasks })] }).problems).toMatchObject([
      {
        path: ["stories", 0, "tasks", 1, "blockedBy"],
        message: "These tasks wait for each other: t → u → t.",
      },
    ]);
  });

  it("with a task that closes a cycle with existing tasks", () => {
    const current = project({
      stories: [{ file: story("a"), tasks: [task("t", { blockedBy: ["u"] }), task("u")] }],
    });
    const plan = { stories: [story("a", { tasks: [task("u", { blockedBy: ["t"] })] })] };
    expect(stage(current, plan, true).problems).toMatchObject([
      { path: ["stories", 0, "blockedBy"], message: "These tasks wait for each other: t → u → t." },
    ]);
  });

  it("with stories that wait for each other", () => {
    const stories = [
      story("e--a", { blockedBy: ["e--b"] }),
      story("e--b", { blockedBy: ["e--a"] }),
    ];
    expect(stage(empty, { epics: [epic("e")], stories }).problems).toMatchObject([
      {
        path: ["epics", 0, "children", 0, "blockedBy"],
        message: "These stories wait for each other: e--a → e--b → e--a.",
      },
    ]);
  });

  it("with a task that waits for one that does not exist", () => {
    const tasks = [task("t"), task("u", { blockedBy: ["t", "gone"] })];
    expect(stage(empty, { stories: [story("a", { tasks })] }).problems).toMatchObject([
      { path: ["stories", 0, "tasks", 1, "blockedBy", 1], severity: "error" },
    ]);
  });

  it("but not with a task that waits for an existing one", () => {
    const current = project({ stories: [{ file: story("a"), tasks: [task("old")] }] });
    const plan = { stories: [story("a", { tasks: [task("t", { blockedBy: ["old"] })] })] };
    expect(stage(current, plan).problems).toEqual([]);
  });

  it("with a story that waits for one that is not in its epic", () => {
    const current = project({ stories: [{ file: story("elsewhere") }] });
    const stories = [story("e--a", { blockedBy: ["elsewhere"] })];
    expect(messages(stage(current, { epics: [epic("e")], stories }))).toEqual([
      "Story e--a waits for elsewhere, which is not a story of the epic e.",
    ]);
  });

  it("with a story that waits for another but has no epic to record that", () => {
    const staging = stage(empty, { stories: [story("a"), story("b", { blockedBy: ["a"] })] });
    expect(staging.problems).toMatchObject([{ path: ["stories", 1, "blockedBy"] }]);
  });

  it("with a story that belongs to an epic that does not exist", () => {
    const staging = stage(empty, { stories: [story("a", { epic: "gone" })] });
    expect(staging.problems).toMatchObject([{ path: ["stories", 0, "epic"] }]);
  });

  it("with a story that two epics of the plan list", () => {
    const children = [{ id: "a" }];
    const staging = stage(empty, {
      epics: [epic("e", { children }), epic("f", { children })],
      stories: [story("a")],
    });
    expect(staging.problems).not.toEqual([]);
  });

  it("with a story that another epic lists already", () => {
    const current = project({
      epics: [epic("e", { children: [{ id: "a", blockedBy: [] }] }), epic("f", { children: [] })],
      stories: [{ file: story("a") }],
    });
    const staging = stage(current, { stories: [story("a", { epic: "f" })] }, true);
    const listing = [...written(current, staging).epics.values()].filter((one) =>
      (one["children"] as Fields[]).some(({ id }) => id === "a"),
    );
    expect(staging.problems.length > 0 || listing.length === 1).toBe(true);
  });

  it("with an epic that lists a story that does not exist", () => {
    const staging = stage(empty, { epics: [epic("e", { children: [{ id: "gone" }] })] });
    expect(staging.problems).toMatchObject([{ path: ["epics", 0, "children", 0, "id"] }]);
  });

  it("but not with an epic that lists existing or archived stories", () => {
    const current = project({ stories: [{ file: story("a") }], archived: ["old"] });
    const children = [{ id: "a", blockedBy: ["old"] }, { id: "old" }];
    expect(stage(current, { epics: [epic("e", { children })] }).problems).toEqual([]);
  });

  it("with the id of an archived story", () => {
    const staging = stage(project({ archived: ["a"] }), { stories: [story("a")] }, true);
    expect(staging.problems).toEqual([
      {
        path: ["stories", 0, "id"],
        severity: "error",
        message: "The story a is in the archive.",
        fix: "Archived stories cannot be changed: create a new story with another id.",
      },
    ]);
  });

  it("with a task above the maximum size", () => {
    const tasks = [
      task("t"),
      task("large", { writeFiles: ["1", "2", "3", "4", "5", "6"] }),
      task("long", { estimatedLines: 201 }),
    ];
    expect(stage(empty, { stories: [story("a", { tasks })] }).problems).toMatchObject([
      { path: ["stories", 0, "tasks", 1, "writeFiles"] },
      { path: ["stories", 0, "tasks", 2, "estimatedLines"] },
    ]);
  });

  it("but not below a higher maximum", () => {
    const { plan } = parsePlan({
      stories: [story("a", { tasks: [task("long", { estimatedLines: 201 })] })],
    });
    if (!plan) throw new Error("not a plan");
    const rules = { canUpdate: false, ceiling: { maxFiles: 5, maxLines: 201 } };
    expect(stagePlan(empty, plan, rules).problems).toEqual([]);
  });

  it("with open tasks of a completed story", () => {
    const done = project({ stories: [{ file: story("a", { status: "completed" }) }] });
    expect(stage(done, { stories: [story("a", { tasks: [task("t")] })] }).problems).toMatchObject([
      { path: ["stories", 0, "status"] },
    ]);
  });

  it("with an invalid task, when the plan did not come as JSON", () => {
    const fields = task("t", { subject: "two\nlines" });
    const plan = {
      epics: [],
      stories: [{ fields: { id: "a" }, blockedBy: undefined, tasks: [fields] }],
      isPartial: true,
    };
    const current = project({ stories: [{ file: story("a") }] });
    const rules = { canUpdate: false, ceiling: DEFAULT_CEILING };
    expect(stagePlan(current, plan, rules).problems).toMatchObject([
      { path: ["stories", 0, "tasks", 0, "subject"] },
    ]);
  });
});
