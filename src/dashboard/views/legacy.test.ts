import { describe, expect, it } from "vitest";
import { follow } from "../../../test/support/dashboard.ts";
import { LEGACY_STORY } from "../../../test/support/legacy-story.ts";
import { anEpic, aStory, aTask, newProject } from "../../../test/support/project.ts";
import { layoutOf } from "../../store/project/layout.ts";
import { readLegacyCards } from "./legacy.ts";

describe("stories and epics in the old format", () => {
  it("are found in each of their locations", () => {
    const project = newProject();
    project.write(".saga/stories/one/story.md", LEGACY_STORY);
    project.write(".saga/stories/two.md", "# The second\n");
    project.write(".saga/epics/auth/epic.md", "---\ntitle: Signing in\nstatus: completed\n---\n");
    project.write(".saga/epics/auth/stories/three/story.md", LEGACY_STORY);
    const { stories, epics } = readLegacyCards(layoutOf(project.path));
    expect(stories.map(({ card }) => [card.id, card.title, card.state, card.epic])).toEqual([
      ["one", "A login form: the first part", "in-progress", "auth"],
      ["two", "The second", "pending", undefined],
      ["auth--three", "A login form: the first part", "in-progress", "auth"],
    ]);
    expect(epics).toMatchObject([
      {
        id: "auth",
        title: "Signing in",
        status: "completed",
        isLegacy: true,
        children: [{ id: "auth--three" }],
      },
    ]);
  });

  it("are found in the archive, at its top or in the folder of their epic", async () => {
    const project = newProject();
    project.write(".saga/archive/one.md", LEGACY_STORY);
    project.write(".saga/archive/two/story.md", LEGACY_STORY);
    project.write(".saga/archive/auth/epic.md", "# Signing in\n");
    project.write(".saga/archive/auth/three.md", LEGACY_STORY);
    project.write(".saga/archive/auth/stories/four/story.md", LEGACY_STORY);
    project.write(".saga/archive/new/story.json", aStory("new", { status: "completed" }));
    project.write(".saga/archive/new/journal.md", "# Journal\n");
    const { story, entities, until } = await follow(project);
    for (const id of ["one", "two", "auth--three", "auth--four"]) {
      const legacy = { state: "completed", isLegacy: true, isArchived: true };
      expect(story(id), id).toMatchObject(legacy);
    }
    expect(story("new")?.isLegacy).toBeUndefined();
    expect(entities.ids("stories")).toHaveLength(5);
    expect(entities.ids("problems")).toEqual([]);

    project.write(".saga/archive/later.md", LEGACY_STORY);
    await until(() => story("later")?.isArchived === true);
  });

  it("are shown beside current ones, which win if both have the same name", async () => {
    const project = newProject();
    project.write(".saga/stories/new/story.json", aStory("new"));
    project.write(".saga/stories/new/form.json", aTask("form"));
    project.write(".saga/stories/new/story.md", LEGACY_STORY);
    project.write(".saga/stories/old.md", LEGACY_STORY);
    project.write(".saga/epics/auth/epic.json", anEpic("auth", [{ id: "new" }]));
    project.write(".saga/epics/auth/stories/part/story.md", LEGACY_STORY);
    const { story, entities, until } = await follow(project);
    expect(story("new")?.isLegacy).toBeUndefined();
    expect(story("old")).toMatchObject({ isLegacy: true, tasks: [{ status: "completed" }, {}] });
    expect(story("auth--part")?.isLegacy).toBe(true);
    expect(entities.get("epics", "auth")?.isLegacy).toBeUndefined();

    project.write(".saga/stories/old.md", LEGACY_STORY.replace("in-progress", "completed"));
    await until(() => story("old")?.state === "completed");
  });

  it.each([
    ["status: ready\n", "ready"],
    ["status: In Progress\n", "in-progress"],
    ["status: blocked\n", "blocked"],
    ["status: done\n", "completed"],
    ["status: pending\n", "pending"],
    ["", "in-progress"],
  ])("are in the state that their file says, whatever their tasks are: %j", (line, state) => {
    const project = newProject();
    project.write(".saga/stories/old.md", LEGACY_STORY.replace("status: in-progress\n", line));
    expect(readLegacyCards(layoutOf(project.path)).stories[0]?.card.state).toBe(state);
  });

  it("count in a current epic as their file says", async () => {
    const project = newProject();
    project.write(".saga/epics/auth/epic.json", anEpic("auth", [{ id: "old" }]));
    project.write(".saga/stories/old.md", LEGACY_STORY);
    const { entities } = await follow(project);
    expect(entities.get("epics", "auth")?.status).toBe("in_progress");
  });

  it("are ignored outside the project and with invalid names", () => {
    const project = newProject();
    project.write("secret.md", LEGACY_STORY);
    project.link(".saga/stories/leak.md", "../../secret.md");
    project.write(".saga/stories/Not an id.md", LEGACY_STORY);
    expect(readLegacyCards(layoutOf(project.path)).stories).toEqual([]);
  });
});

it("changes its version with every edit, so that the page reads it again", () => {
  const project = newProject();
  const version = (text: string): number | undefined => {
    project.write(".saga/stories/old.md", text);
    return readLegacyCards(layoutOf(project.path)).stories[0]?.card.version;
  };
  const texts = [
    LEGACY_STORY,
    LEGACY_STORY.replace("What", "Why?"),
    LEGACY_STORY.replace("pending", "working"),
  ];
  expect(new Set(texts.map(version)).size).toBe(3);
  expect(version(LEGACY_STORY)).toBe(version(LEGACY_STORY));
});
