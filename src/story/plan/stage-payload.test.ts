import { describe, expect, it } from "vitest";
import {
  task,
  story,
  epic,
  project,
  empty,
  stage,
  storyUpdateIn,
  written,
  actions,
  fieldsOf,
} from "../../../test/support/staging.ts";

describe("staging a payload of the lightweight pipeline", () => {
  const storyUpdate = storyUpdateIn("filling");
  const epicUpdate = {
    id: "epic-001",
    title: "Board",
    branch: "epic/epic-001",
    persistent: false,
  };

  it("creates a story and its epic, with the title as the default description", () => {
    const staging = stage(empty, { storyUpdate, epicUpdate }, true);
    expect(staging.problems).toEqual([]);
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

  it("uses the body as the description", () => {
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
    expect(again.problems).toEqual([]);
    expect(actions(again)).toEqual(["keep story story-001", "keep epic epic-001"]);
  });

  it("keeps fields that it does not name", () => {
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
    expect(staging.problems).toEqual([]);
    expect(fieldsOf(staging, "story", "a")).toEqual({ ...before, needsReview: true });
    expect(fieldsOf(staging, "epic", "e")).toEqual({ ...epicBefore, delivery: "story-pr" });
  });

  it("keeps fields of a task that it does not name", () => {
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

  it("writes only its fields, status, blockers and order for a new task", () => {
    const payload = { storyUpdate: { id: "a", title: "A", tasks: [task("t")] } };
    expect(fieldsOf(stage(empty, payload), "task", "t")).toEqual(
      task("t", { status: "pending", blockedBy: [], order: 1 }),
    );
  });

  it("never changes an existing status", () => {
    const current = project({ stories: [{ file: story("a", { status: "completed" }) }] });
    const staging = stage(current, { storyUpdate: { id: "a", state: "filling" } }, true);
    expect(actions(staging)).toEqual(["keep story a"]);
  });

  it("is refused when it would create a story or epic without a title", () => {
    const staging = stage(empty, { storyUpdate: { id: "a" }, epicUpdate: { id: "e" } });
    expect(staging.problems).toMatchObject([
      { path: ["stories", 0, "title"], message: "`title` is missing." },
      { path: ["stories", 0, "description"] },
      { path: ["epics", 0, "title"], message: "`title` is missing." },
      { path: ["epics", 0, "description"] },
    ]);
  });
});
