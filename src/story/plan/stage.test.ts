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
  actions,
  fieldsOf,
} from "../../../test/support/staging.ts";

describe("staging a plan", () => {
  const plan = {
    epics: [epic("auth")],
    stories: [
      story("auth--db", { tasks: [task("migrate"), task("test", { blockedBy: ["migrate"] })] }),
      story("auth--api", { blockedBy: ["auth--db"], labels: ["backend"], ticket: "ABC-1" }),
    ],
  };

  it("creates missing files", () => {
    const staging = stage(empty, plan);
    expect(staging.problems).toEqual([]);
    expect(actions(staging)).toEqual([
      "create story auth--db",
      "create task auth--db/migrate",
      "create task auth--db/test",
      "create story auth--api",
      "create epic auth",
    ]);
  });

  it("writes the author's fields, and a status, blockers and order by default", () => {
    const staging = stage(empty, plan);
    expect(fieldsOf(staging, "story", "auth--api")).toEqual(
      story("auth--api", { status: "pending", labels: ["backend"], ticket: "ABC-1" }),
    );
    expect(fieldsOf(staging, "task", "migrate")).toEqual(
      task("migrate", { status: "pending", blockedBy: [], order: 1 }),
    );
    expect(fieldsOf(staging, "epic", "auth")).toEqual(
      epic("auth", {
        children: [
          { id: "auth--db", blockedBy: [] },
          { id: "auth--api", blockedBy: ["auth--db"] },
        ],
      }),
    );
  });

  it("numbers new tasks in their order, after the existing ones", () => {
    const current = project({
      stories: [{ file: story("a"), tasks: [task("old"), task("newer", { order: 4 })] }],
    });
    const tasks = [task("old"), task("zebra"), task("ant"), task("mine", { order: 2 })];
    const staging = stage(current, { stories: [{ ...story("a"), tasks }] });
    expect(actions(staging)[1]).toContain("keep");
    const orders = ["zebra", "ant", "mine"].map(
      (id) => (fieldsOf(staging, "task", id) as Fields)["order"],
    );
    expect(orders).toEqual([5, 6, 2]);
  });

  it("puts the id and the title first in a new file", () => {
    const fields = fieldsOf(stage(empty, plan), "story", "auth--api");
    expect(Object.keys(fields as Fields).slice(0, 2)).toEqual(["id", "title"]);
  });

  it("uses the status of a new story or task", () => {
    const done = { status: "completed" };
    const staging = stage(empty, { stories: [story("a", { ...done, tasks: [task("t", done)] })] });
    expect(staging.problems).toEqual([]);
    expect(fieldsOf(staging, "story", "a")).toMatchObject(done);
    expect(fieldsOf(staging, "task", "t")).toMatchObject(done);
  });

  it("changes nothing when it is repeated", () => {
    const first = stage(empty, plan);
    const again = stage(written(empty, first), plan);
    expect(again.problems).toEqual([]);
    expect(actions(again)).toEqual(
      actions(first).map((action) => action.replace("create", "keep")),
    );
  });

  it("changes nothing when it is repeated after runs have written to it", () => {
    const ran = written(empty, stage(empty, plan));
    const before = ran.stories.get("auth--api");
    const fields = {
      ...before?.fields,
      status: "completed",
      branch: "story/auth--api",
      pr: "local/1",
      worktree: ".saga/worktrees/auth--api",
    };
    const stories = new Map(ran.stories).set("auth--api", { fields, tasks: new Map() });
    const again = stage({ ...ran, stories }, plan);
    expect(again.problems).toEqual([]);
    expect(again.files.every(({ action }) => action === "keep")).toBe(true);
  });

  it("does not care about the order of keys", () => {
    const turned = Object.fromEntries(
      Object.entries(story("a", { status: "pending" })).toReversed(),
    );
    const current = project({ stories: [{ file: turned }] });
    expect(actions(stage(current, { stories: [story("a")] }))).toEqual(["keep story a"]);
  });

  it("keeps files with the same meaning, even without defaults", () => {
    const current = project({ stories: [{ file: story("a"), tasks: [task("t")] }] });
    const staging = stage(current, { stories: [story("a", { tasks: [task("t")] })] });
    expect(staging.problems).toEqual([]);
    expect(actions(staging)).toEqual(["keep story a", "keep task a/t"]);
  });

  it("does not change tasks that it does not name", () => {
    const current = project({ stories: [{ file: story("a"), tasks: [task("old")] }] });
    const staging = stage(current, { stories: [story("a", { tasks: [task("new")] })] });
    expect(actions(staging)).toEqual(["keep story a", "create task a/new"]);
  });

  it("treats a list in another order or of another length as a change", () => {
    const current = project({ stories: [{ file: story("a", { labels: ["x", "y"] }) }] });
    for (const labels of [["y", "x"], ["x"], ["x", "y", "z"]]) {
      expect(actions(stage(current, { stories: [story("a", { labels })] }))).toEqual([
        "update story a",
      ]);
    }
  });

  it("treats an object in place of a list as a change", () => {
    const current = project({ stories: [{ file: story("a", { extra: [] }) }] });
    const staging = stage(current, { stories: [story("a", { extra: {} })] });
    expect(actions(staging)).toEqual(["update story a"]);
  });
});

describe("changing what exists", () => {
  const current = project({
    epics: [epic("e", { children: [] })],
    stories: [
      {
        file: story("a", { status: "pending" }),
        tasks: [task("t", { status: "pending", blockedBy: [] })],
      },
    ],
  });
  const plan = {
    epics: [epic("e", { title: "New" })],
    stories: [story("a", { title: "New", tasks: [task("t", { subject: "New" })] })],
  };

  it("is refused unless updates are allowed, at the path of each", () => {
    const fix = (name: string): string =>
      `Change it: \`saga edit ${name}\`. With a plan: \`saga stage <plan.json> --update\`. Or choose another id.`;
    expect(stage(current, plan).problems).toEqual([
      {
        path: ["stories", 0],
        severity: "error",
        message: "The story a already exists with other content.",
        fix: fix("a"),
      },
      {
        path: ["stories", 0, "tasks", 0],
        severity: "error",
        message: "The task t already exists with other content.",
        fix: fix("a/t"),
      },
      {
        path: ["epics", 0],
        severity: "error",
        message: "The epic e already exists with other content.",
        fix: fix("e"),
      },
    ]);
  });

  it("is done when updates are allowed", () => {
    const staging = stage(current, plan, true);
    expect(staging.problems).toEqual([]);
    expect(actions(staging)).toEqual(["update story a", "update task a/t", "update epic e"]);
    expect(fieldsOf(staging, "task", "t")).toMatchObject({ subject: "New" });
  });

  it("removes a field that a whole plan leaves out", () => {
    const guided = project({ stories: [{ file: story("a", { guidance: "Slowly." }) }] });
    const staging = stage(guided, { stories: [story("a")] }, true);
    expect(fieldsOf(staging, "story", "a")).toEqual(story("a"));
  });

  const RAN = {
    status: ["completed", "pending"],
    branch: ["story/a", "story/other"],
    pr: ["local/1", "local/2"],
    worktree: ["here", "there"],
  };

  it.each(Object.entries(RAN))(
    "keeps a story's %s that a run has written",
    (key, [ours, theirs]) => {
      const ran = project({ stories: [{ file: story("a", { [key]: ours }) }] });
      const staging = stage(ran, { stories: [story("a", { title: "New", [key]: theirs })] }, true);
      expect(fieldsOf(staging, "story", "a")).toEqual(story("a", { title: "New", [key]: ours }));
    },
  );

  it.each(Object.entries(RAN))(
    "never writes a story's %s from a plan, even when its file has none",
    (key, [theirs]) => {
      const fresh = project({ stories: [{ file: story("a") }] });
      const staging = stage(
        fresh,
        { stories: [story("a", { title: "New", [key]: theirs })] },
        true,
      );
      expect(fieldsOf(staging, "story", "a")).not.toHaveProperty(key, theirs);
    },
  );

  it("keeps a task's status", () => {
    const done = project({
      stories: [{ file: story("a"), tasks: [task("t", { status: "completed" })] }],
    });
    const plan = { stories: [story("a", { tasks: [task("t", { status: "pending" })] })] };
    expect(fieldsOf(stage(done, plan, true), "task", "t")).toMatchObject({ status: "completed" });
  });

  it("never writes a task's status from a plan, even when its file has none", () => {
    const fresh = project({ stories: [{ file: story("a"), tasks: [task("t")] }] });
    const plan = { stories: [story("a", { tasks: [task("t", { status: "completed" })] })] };
    expect(fieldsOf(stage(fresh, plan, true), "task", "t")).not.toMatchObject({
      status: "completed",
    });
  });

  it.each([
    ["status", "in_progress", "completed"],
    ["branch", "epic/e", "epic/other"],
    ["pr", "local/1", "local/2"],
  ])("keeps an epic's %s", (key, ours, theirs) => {
    const ran = project({ epics: [epic("e", { children: [], [key]: ours })] });
    const replaced = stage(ran, { epics: [epic("e", { title: "New", [key]: theirs })] }, true);
    expect(fieldsOf(replaced, "epic", "e")).toMatchObject({ title: "New", [key]: ours });
    const leftOut = stage(ran, { epics: [epic("e", { title: "New" })] }, true);
    expect(fieldsOf(leftOut, "epic", "e")).toMatchObject({ title: "New", [key]: ours });
  });

  it("keeps fields that Saga does not know: of a story", () => {
    const noted = project({ stories: [{ file: story("a", { ticket: "ABC-1" }) }] });
    const staging = stage(noted, { stories: [story("a", { title: "New" })] }, true);
    expect(fieldsOf(staging, "story", "a")).toMatchObject({ title: "New", ticket: "ABC-1" });
  });

  it("keeps fields that Saga does not know: of a task", () => {
    const noted = project({
      stories: [{ file: story("a"), tasks: [task("t", { ticket: "ABC-1" })] }],
    });
    const plan = { stories: [story("a", { tasks: [task("t", { subject: "New" })] })] };
    expect(fieldsOf(stage(noted, plan, true), "task", "t")).toMatchObject({
      subject: "New",
      ticket: "ABC-1",
    });
  });

  it("keeps fields that Saga does not know: of an epic", () => {
    const noted = project({ epics: [epic("e", { children: [], ticket: "ABC-1" })] });
    const staging = stage(noted, { epics: [epic("e", { title: "New" })] }, true);
    expect(fieldsOf(staging, "epic", "e")).toMatchObject({ title: "New", ticket: "ABC-1" });
  });

  it("keeps an epic's stories when the plan does not list any", () => {
    const children = [{ id: "a", blockedBy: [] }];
    const listed = project({ epics: [epic("e", { children })], stories: [{ file: story("a") }] });
    const staging = stage(listed, { epics: [epic("e", { title: "New" })] }, true);
    expect(fieldsOf(staging, "epic", "e")).toMatchObject({ children });
  });
});
