import { describe, expect, it } from "vitest";
import { DEFAULT_CEILING } from "./check.ts";
import { parsePlan } from "./plan.ts";
import { stagePlan, type CurrentProject, type StagedFile, type Staging } from "./stage.ts";

type Fields = Record<string, unknown>;

const task = (id: string, fields: Fields = {}): Fields => ({
  id,
  subject: `Do ${id}`,
  description: `All about ${id}.`,
  ...fields,
});
const story = (id: string, fields: Fields = {}): Fields => ({
  id,
  title: `Story ${id}`,
  description: `All about ${id}.`,
  ...fields,
});
const epic = (id: string, fields: Fields = {}): Fields => ({
  id,
  title: `Epic ${id}`,
  description: `All about ${id}.`,
  ...fields,
});

interface Project {
  readonly epics?: Fields[];
  /** Stories as files, with their tasks beside them. */
  readonly stories?: { readonly file: Fields; readonly tasks?: Fields[] }[];
  readonly archived?: string[];
}
const byId = (items: readonly Fields[]): Map<string, Fields> =>
  new Map(items.map((item) => [String(item["id"]), item]));
const project = ({ epics = [], stories = [], archived = [] }: Project = {}): CurrentProject => ({
  epics: byId(epics),
  stories: new Map(
    stories.map(({ file, tasks = [] }) => [
      String(file["id"]),
      { fields: file, tasks: byId(tasks) },
    ]),
  ),
  archived: new Set(archived),
});
const empty = project();

function stage(current: CurrentProject, json: unknown, canUpdate = false): Staging {
  const { plan, findings } = parsePlan(json);
  if (!plan) throw new Error(JSON.stringify(findings));
  return stagePlan(current, plan, { canUpdate, ceiling: DEFAULT_CEILING });
}

/** The project with the staged files written. */
function written(current: CurrentProject, { files }: Staging): CurrentProject {
  const epics = new Map(current.epics);
  const stories = new Map(current.stories);
  for (const { kind, owner, id, fields } of files) {
    const before = stories.get(owner) ?? { fields: {}, tasks: new Map<string, Fields>() };
    if (kind === "epic") epics.set(id, fields);
    if (kind === "story") stories.set(owner, { ...before, fields });
    if (kind === "task") {
      stories.set(owner, { ...before, tasks: new Map(before.tasks).set(id, fields) });
    }
  }
  return { ...current, epics, stories };
}

const named = ({ kind, owner, id, action }: StagedFile): string =>
  `${action} ${kind} ${kind === "task" ? `${owner}/${id}` : id}`;
const actions = ({ files }: Staging): string[] => files.map(named);
const fieldsOf = ({ files }: Staging, kind: StagedFile["kind"], id: string): unknown =>
  files.find((file) => file.kind === kind && file.id === id)?.fields;
const messages = ({ findings }: Staging): string[] => findings.map(({ message }) => message);

describe("staging a plan", () => {
  const plan = {
    epics: [epic("auth")],
    stories: [
      story("auth--db", { tasks: [task("migrate"), task("test", { blockedBy: ["migrate"] })] }),
      story("auth--api", { blockedBy: ["auth--db"], labels: ["backend"], ticket: "ABC-1" }),
    ],
  };

  it("creates what is not there", () => {
    const staging = stage(empty, plan);
    expect(staging.findings).toEqual([]);
    expect(actions(staging)).toEqual([
      "create story auth--db",
      "create task auth--db/migrate",
      "create task auth--db/test",
      "create story auth--api",
      "create epic auth",
    ]);
  });

  it("writes what the author said, a status, and what a task waits for", () => {
    const staging = stage(empty, plan);
    expect(fieldsOf(staging, "story", "auth--api")).toEqual(
      story("auth--api", { status: "pending", labels: ["backend"], ticket: "ABC-1" }),
    );
    expect(fieldsOf(staging, "task", "migrate")).toEqual(
      task("migrate", { status: "pending", blockedBy: [] }),
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

  it("puts the id and the title first in a new file", () => {
    const fields = fieldsOf(stage(empty, plan), "story", "auth--api");
    expect(Object.keys(fields as Fields).slice(0, 2)).toEqual(["id", "title"]);
  });

  it("takes a status that a new story or task comes with", () => {
    const done = { status: "completed" };
    const staging = stage(empty, { stories: [story("a", { ...done, tasks: [task("t", done)] })] });
    expect(staging.findings).toEqual([]);
    expect(fieldsOf(staging, "story", "a")).toMatchObject(done);
    expect(fieldsOf(staging, "task", "t")).toMatchObject(done);
  });

  it("changes nothing when it is repeated", () => {
    const first = stage(empty, plan);
    const again = stage(written(empty, first), plan);
    expect(again.findings).toEqual([]);
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
    expect(again.findings).toEqual([]);
    expect(again.files.every(({ action }) => action === "keep")).toBe(true);
  });

  it("does not care about the order of keys", () => {
    const turned = Object.fromEntries(
      Object.entries(story("a", { status: "pending" })).toReversed(),
    );
    const current = project({ stories: [{ file: turned }] });
    expect(actions(stage(current, { stories: [story("a")] }))).toEqual(["keep story a"]);
  });

  it("keeps files that say exactly the same, however little they say", () => {
    const current = project({ stories: [{ file: story("a"), tasks: [task("t")] }] });
    const staging = stage(current, { stories: [story("a", { tasks: [task("t")] })] });
    expect(staging.findings).toEqual([]);
    expect(actions(staging)).toEqual(["keep story a", "keep task a/t"]);
  });

  it("does not touch tasks that it does not name", () => {
    const current = project({ stories: [{ file: story("a"), tasks: [task("old")] }] });
    const staging = stage(current, { stories: [story("a", { tasks: [task("new")] })] });
    expect(actions(staging)).toEqual(["keep story a", "create task a/new"]);
  });

  it("sees a list in another order, or of another length, as a change", () => {
    const current = project({ stories: [{ file: story("a", { labels: ["x", "y"] }) }] });
    for (const labels of [["y", "x"], ["x"], ["x", "y", "z"]]) {
      expect(actions(stage(current, { stories: [story("a", { labels })] }))).toEqual([
        "update story a",
      ]);
    }
  });

  it("sees an object where a list was as a change", () => {
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

  it("is refused unless it was asked for, at the place of each", () => {
    const fix = "Give it another id, or run `saga stage --update` to change it.";
    expect(stage(current, plan).findings).toEqual([
      {
        path: ["stories", 0],
        severity: "error",
        message: "The story a exists already, and differs from this.",
        fix,
      },
      {
        path: ["stories", 0, "tasks", 0],
        severity: "error",
        message: "The task t exists already, and differs from this.",
        fix,
      },
      {
        path: ["epics", 0],
        severity: "error",
        message: "The epic e exists already, and differs from this.",
        fix,
      },
    ]);
  });

  it("is done when it was asked for", () => {
    const staging = stage(current, plan, true);
    expect(staging.findings).toEqual([]);
    expect(actions(staging)).toEqual(["update story a", "update task a/t", "update epic e"]);
    expect(fieldsOf(staging, "task", "t")).toMatchObject({ subject: "New" });
  });

  it("drops a field that a whole plan leaves out", () => {
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
    "never takes a story's %s from a plan over what a run has written",
    (key, [ours, theirs]) => {
      const ran = project({ stories: [{ file: story("a", { [key]: ours }) }] });
      const staging = stage(ran, { stories: [story("a", { title: "New", [key]: theirs })] }, true);
      expect(fieldsOf(staging, "story", "a")).toEqual(story("a", { title: "New", [key]: ours }));
    },
  );

  it.each(Object.entries(RAN))(
    "never takes a story's %s from a plan where its file does not say it",
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

  it("never takes a task's status from a plan", () => {
    const done = project({
      stories: [{ file: story("a"), tasks: [task("t", { status: "completed" })] }],
    });
    const plan = { stories: [story("a", { tasks: [task("t", { status: "pending" })] })] };
    expect(fieldsOf(stage(done, plan, true), "task", "t")).toMatchObject({ status: "completed" });
  });

  it("never takes a task's status from a plan where its file does not say it", () => {
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
  ])("never takes an epic's %s from a plan over what is there", (key, ours, theirs) => {
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

describe("staging a payload of the lightweight pipeline", () => {
  const storyUpdate = {
    id: "story-001",
    epicId: "epic-001",
    title: "Ghost placement accuracy",
    state: "filling",
    branch: "story/ghost-placement",
    writeFiles: ["src/handlers/stageHandlers.js", "src/components/BoardCanvas.jsx"],
    needsTesting: false,
    needsReview: false,
  };
  const epicUpdate = {
    id: "epic-001",
    title: "Board",
    branch: "epic/board",
    prNumber: 12,
    persistent: false,
  };

  it("creates a story and its epic, and takes the title for a text that is left out", () => {
    const staging = stage(empty, { storyUpdate, epicUpdate }, true);
    expect(staging.findings).toEqual([]);
    expect(actions(staging)).toEqual(["create story story-001", "create epic epic-001"]);
    expect(fieldsOf(staging, "story", "story-001")).toEqual({
      id: "story-001",
      title: "Ghost placement accuracy",
      description: "Ghost placement accuracy",
      epic: "epic-001",
      status: "pending",
      branch: "story/ghost-placement",
      writeFiles: storyUpdate.writeFiles,
      needsTesting: false,
      needsReview: false,
    });
    expect(fieldsOf(staging, "epic", "epic-001")).toEqual({
      ...epicUpdate,
      description: "Board",
      children: [{ id: "story-001", blockedBy: [] }],
    });
  });

  it("takes a body for the text", () => {
    const staging = stage(empty, {
      storyUpdate: { id: "a", title: "A", body: "The goal." },
      epicUpdate: { id: "e", title: "E", body: "The reason." },
    });
    expect(fieldsOf(staging, "story", "a")).toMatchObject({ description: "The goal." });
    expect(fieldsOf(staging, "epic", "e")).toMatchObject({ description: "The reason." });
  });

  it("changes nothing when it is repeated", () => {
    const first = stage(empty, { storyUpdate, epicUpdate });
    const again = stage(written(empty, first), { storyUpdate, epicUpdate });
    expect(again.findings).toEqual([]);
    expect(actions(again)).toEqual(["keep story story-001", "keep epic epic-001"]);
  });

  it("leaves fields as they are that it does not name", () => {
    const before = story("a", { guidance: "Slowly.", ticket: "ABC-1", labels: ["x"] });
    const epicBefore = epic("e", { ticket: "ABC-2", children: [] });
    const current = project({ epics: [epicBefore], stories: [{ file: before }] });
    const staging = stage(
      current,
      {
        storyUpdate: { id: "a", needsReview: true },
        epicUpdate: { id: "e", delivery: "story-pr" },
      },
      true,
    );
    expect(staging.findings).toEqual([]);
    expect(fieldsOf(staging, "story", "a")).toEqual({ ...before, needsReview: true });
    expect(fieldsOf(staging, "epic", "e")).toEqual({ ...epicBefore, delivery: "story-pr" });
  });

  it("leaves fields of a task as they are that it does not name", () => {
    const before = task("t", {
      status: "pending",
      blockedBy: ["first"],
      checks: ["npm test"],
      ticket: "ABC-1",
    });
    const first = task("first", { status: "pending", blockedBy: [] });
    const current = project({ stories: [{ file: story("a"), tasks: [first, before] }] });
    const payload = { storyUpdate: { id: "a", tasks: [task("t", { subject: "New" })] } };
    expect(fieldsOf(stage(current, payload, true), "task", "t")).toEqual({
      ...before,
      subject: "New",
    });
  });

  it("writes for a new task only what it says, a status, and what it waits for", () => {
    const payload = { storyUpdate: { id: "a", title: "A", tasks: [task("t")] } };
    expect(fieldsOf(stage(empty, payload), "task", "t")).toEqual(
      task("t", { status: "pending", blockedBy: [] }),
    );
  });

  it("never changes a status that is there", () => {
    const current = project({ stories: [{ file: story("a", { status: "completed" }) }] });
    const staging = stage(current, { storyUpdate: { id: "a", state: "filling" } }, true);
    expect(actions(staging)).toEqual(["keep story a"]);
  });

  it("is refused when it would create something without a title", () => {
    const staging = stage(empty, { storyUpdate: { id: "a" }, epicUpdate: { id: "e" } });
    expect(staging.findings).toMatchObject([
      { path: ["stories", 0, "title"], message: "`title` is missing." },
      { path: ["stories", 0, "description"] },
      { path: ["epics", 0, "title"], message: "`title` is missing." },
      { path: ["epics", 0, "description"] },
    ]);
  });
});

describe("a story joins an epic", () => {
  const joined = (id: string): Fields => ({ id, blockedBy: [] });
  const childrenOf = (staging: Staging, id: string): unknown =>
    (fieldsOf(staging, "epic", id) as Fields | undefined)?.["children"];

  it("by its field", () => {
    const staging = stage(empty, { epics: [epic("e")], stories: [story("a", { epic: "e" })] });
    expect(staging.findings).toEqual([]);
    expect(childrenOf(staging, "e")).toEqual([joined("a")]);
  });

  it("by being listed, whatever it is called", () => {
    const children = [{ id: "a", blockedBy: ["b"], note: "last" }, { id: "b" }];
    const staging = stage(empty, {
      epics: [epic("e", { children })],
      stories: [story("a"), story("b")],
    });
    expect(staging.findings).toEqual([]);
    expect(childrenOf(staging, "e")).toEqual(children);
  });

  it("by its name, the nearest epic first", () => {
    const staging = stage(empty, {
      epics: [epic("e"), epic("e--f")],
      stories: [story("e--f--a"), story("e--b")],
    });
    expect(staging.findings).toEqual([]);
    expect(childrenOf(staging, "e")).toEqual([joined("e--b")]);
    expect(childrenOf(staging, "e--f")).toEqual([joined("e--f--a")]);
  });

  it("by its field rather than by its name", () => {
    const staging = stage(empty, {
      epics: [epic("e"), epic("other")],
      stories: [story("e--a", { epic: "other" })],
    });
    expect(childrenOf(staging, "e")).toEqual([]);
    expect(childrenOf(staging, "other")).toEqual([joined("e--a")]);
  });

  it("by being listed rather than by its name", () => {
    const staging = stage(empty, {
      epics: [epic("e"), epic("other", { children: [{ id: "e--a" }] })],
      stories: [story("e--a")],
    });
    expect(childrenOf(staging, "e")).toEqual([]);
    expect(childrenOf(staging, "other")).toEqual([{ id: "e--a" }]);
  });

  it("that exists, and that is not an update of the epic's own text", () => {
    const current = project({
      epics: [epic("e", { children: [joined("e--a")] })],
      stories: [{ file: story("e--a") }],
    });
    const staging = stage(current, { stories: [story("e--b", { blockedBy: ["e--a"] })] });
    expect(staging.findings).toEqual([]);
    expect(actions(staging)).toEqual(["create story e--b", "update epic e"]);
    expect(fieldsOf(staging, "epic", "e")).toEqual(
      epic("e", { children: [joined("e--a"), { id: "e--b", blockedBy: ["e--a"] }] }),
    );
  });

  it("once, and leaves an epic alone that lists it already", () => {
    const current = project({
      epics: [epic("e", { children: [joined("e--a")] })],
      stories: [{ file: story("e--a") }],
    });
    const staging = stage(current, { stories: [story("e--a", { blockedBy: [] })] });
    expect(actions(staging)).toEqual(["keep story e--a"]);
  });

  it("in a new place of the order when it was asked for, keeping what else stands there", () => {
    const current = project({
      epics: [epic("e", { children: [joined("e--a"), { ...joined("e--b"), note: "x" }] })],
      stories: [{ file: story("e--a") }, { file: story("e--b") }],
    });
    const staging = stage(current, { stories: [story("e--b", { blockedBy: ["e--a"] })] }, true);
    expect(staging.findings).toEqual([]);
    expect(childrenOf(staging, "e")).toEqual([
      joined("e--a"),
      { id: "e--b", blockedBy: ["e--a"], note: "x" },
    ]);
  });

  it("in a new place of the order only when it was asked for", () => {
    const current = project({
      epics: [epic("e", { children: [joined("e--a"), joined("e--b")] })],
      stories: [{ file: story("e--a") }, { file: story("e--b") }],
    });
    const staging = stage(current, { stories: [story("e--b", { blockedBy: ["e--a"] })] });
    expect(staging.findings).not.toEqual([]);
  });

  it("only where there is one", () => {
    const staging = stage(empty, { stories: [story("e--a")] });
    expect(staging.findings).toEqual([]);
    expect(actions(staging)).toEqual(["create story e--a"]);
  });
});

describe("a plan is refused", () => {
  it("with an id that stands in it twice, for epics, stories and tasks", () => {
    const staging = stage(empty, {
      epics: [epic("e"), epic("e")],
      stories: [story("a", { tasks: [task("t"), task("t")] }), story("a")],
    });
    expect(staging.findings).toMatchObject([
      { path: ["epics", 1, "id"], message: "e stands in the plan twice.", fix: "Keep one." },
      { path: ["stories", 1, "id"], message: "a stands in the plan twice." },
      { path: ["stories", 0, "tasks", 1, "id"], message: "t stands in the plan twice." },
    ]);
  });

  it("but not because two stories have a task of the same name", () => {
    const stories = [story("a", { tasks: [task("t")] }), story("b", { tasks: [task("t")] })];
    expect(stage(empty, { stories }).findings).toEqual([]);
  });

  it("with tasks that wait for each other", () => {
    const tasks = [task("x"), task("t", { blockedBy: ["u"] }), task("u", { blockedBy: ["t"] })];
    expect(stage(empty, { stories: [story("a", { tasks })] }).findings).toMatchObject([
      {
        path: ["stories", 0, "tasks", 1, "blockedBy"],
        message: "These tasks wait for each other: t → u → t.",
      },
    ]);
  });

  it("with a task that closes a circle through tasks that are there already", () => {
    const current = project({
      stories: [{ file: story("a"), tasks: [task("t", { blockedBy: ["u"] }), task("u")] }],
    });
    const plan = { stories: [story("a", { tasks: [task("u", { blockedBy: ["t"] })] })] };
    expect(stage(current, plan, true).findings).toMatchObject([
      { path: ["stories", 0, "blockedBy"], message: "These tasks wait for each other: t → u → t." },
    ]);
  });

  it("with stories that wait for each other", () => {
    const stories = [
      story("e--a", { blockedBy: ["e--b"] }),
      story("e--b", { blockedBy: ["e--a"] }),
    ];
    expect(stage(empty, { epics: [epic("e")], stories }).findings).toMatchObject([
      {
        path: ["epics", 0, "children", 0, "blockedBy"],
        message: "These stories wait for each other: e--a → e--b → e--a.",
      },
    ]);
  });

  it("with a task that waits for one that does not exist", () => {
    const tasks = [task("t"), task("u", { blockedBy: ["t", "gone"] })];
    expect(stage(empty, { stories: [story("a", { tasks })] }).findings).toMatchObject([
      { path: ["stories", 0, "tasks", 1, "blockedBy", 1], severity: "error" },
    ]);
  });

  it("but not with a task that waits for one that is there already", () => {
    const current = project({ stories: [{ file: story("a"), tasks: [task("old")] }] });
    const plan = { stories: [story("a", { tasks: [task("t", { blockedBy: ["old"] })] })] };
    expect(stage(current, plan).findings).toEqual([]);
  });

  it("with a story that waits for one that is not in its epic", () => {
    const current = project({ stories: [{ file: story("elsewhere") }] });
    const stories = [story("e--a", { blockedBy: ["elsewhere"] })];
    expect(messages(stage(current, { epics: [epic("e")], stories }))).toEqual([
      "Story e--a waits for elsewhere, which is not a story of the epic e.",
    ]);
  });

  it("with a story that waits for another outside of any epic, because nothing would hold the order", () => {
    const staging = stage(empty, { stories: [story("a"), story("b", { blockedBy: ["a"] })] });
    expect(staging.findings).toMatchObject([{ path: ["stories", 1, "blockedBy"] }]);
  });

  it("with a story that belongs to an epic that does not exist", () => {
    const staging = stage(empty, { stories: [story("a", { epic: "gone" })] });
    expect(staging.findings).toMatchObject([{ path: ["stories", 0, "epic"] }]);
  });

  it("with a story that two of its epics list", () => {
    const children = [{ id: "a" }];
    const staging = stage(empty, {
      epics: [epic("e", { children }), epic("f", { children })],
      stories: [story("a")],
    });
    expect(staging.findings).not.toEqual([]);
  });

  it("with a story that would be in one epic and in another already", () => {
    const current = project({
      epics: [epic("e", { children: [{ id: "a", blockedBy: [] }] }), epic("f", { children: [] })],
      stories: [{ file: story("a") }],
    });
    const staging = stage(current, { stories: [story("a", { epic: "f" })] }, true);
    const listing = [...written(current, staging).epics.values()].filter((one) =>
      (one["children"] as Fields[]).some(({ id }) => id === "a"),
    );
    expect(staging.findings.length > 0 || listing.length === 1).toBe(true);
  });

  it("with an epic that lists a story that does not exist", () => {
    const staging = stage(empty, { epics: [epic("e", { children: [{ id: "gone" }] })] });
    expect(staging.findings).toMatchObject([{ path: ["epics", 0, "children", 0, "id"] }]);
  });

  it("but not with an epic that lists stories that are there, or archived", () => {
    const current = project({ stories: [{ file: story("a") }], archived: ["old"] });
    const children = [{ id: "a", blockedBy: ["old"] }, { id: "old" }];
    expect(stage(current, { epics: [epic("e", { children })] }).findings).toEqual([]);
  });

  it("with the id of an archived story", () => {
    const staging = stage(project({ archived: ["a"] }), { stories: [story("a")] }, true);
    expect(staging.findings).toEqual([
      {
        path: ["stories", 0, "id"],
        severity: "error",
        message: "The story a is in the archive.",
        fix: "Give it another id: what is archived is finished.",
      },
    ]);
  });

  it("with a task above the size ceiling", () => {
    const tasks = [
      task("t"),
      task("large", { writeFiles: ["1", "2", "3", "4", "5", "6"] }),
      task("long", { estimatedLines: 201 }),
    ];
    expect(stage(empty, { stories: [story("a", { tasks })] }).findings).toMatchObject([
      { path: ["stories", 0, "tasks", 1, "writeFiles"] },
      { path: ["stories", 0, "tasks", 2, "estimatedLines"] },
    ]);
  });

  it("but not below another ceiling", () => {
    const { plan } = parsePlan({
      stories: [story("a", { tasks: [task("long", { estimatedLines: 201 })] })],
    });
    if (!plan) throw new Error("not a plan");
    const rules = { canUpdate: false, ceiling: { maxFiles: 5, maxLines: 201 } };
    expect(stagePlan(empty, plan, rules).findings).toEqual([]);
  });

  it("with open tasks for a story that is completed", () => {
    const done = project({ stories: [{ file: story("a", { status: "completed" }) }] });
    expect(stage(done, { stories: [story("a", { tasks: [task("t")] })] }).findings).toMatchObject([
      { path: ["stories", 0, "status"] },
    ]);
  });

  it("with a task that breaks its own format, when it did not come as JSON", () => {
    const fields = task("t", { subject: "two\nlines" });
    const plan = {
      epics: [],
      stories: [{ fields: { id: "a" }, blockedBy: undefined, tasks: [fields] }],
      isPartial: true,
    };
    const current = project({ stories: [{ file: story("a") }] });
    const rules = { canUpdate: false, ceiling: DEFAULT_CEILING };
    expect(stagePlan(current, plan, rules).findings).toMatchObject([
      { path: ["stories", 0, "tasks", 0, "subject"] },
    ]);
  });
});
