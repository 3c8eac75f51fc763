import { describe, expect, it } from "vitest";
import { LEGACY_STORY } from "../../../test/support/legacy-story.ts";
import { aStory, newProject } from "../../../test/support/project.ts";
import { layoutOf } from "./layout.ts";
import { isLegacyFolder, parseMarkdown, readLegacyProject } from "./legacy-markdown.ts";

describe("front matter", () => {
  it("is split into fields, tasks and the text below", () => {
    expect(parseMarkdown(LEGACY_STORY)).toEqual({
      fields: {
        id: "login-form",
        title: "A login form: the first part",
        status: "in-progress",
        epic: "auth",
        tasks: "",
      },
      tasks: [
        { id: "t1", title: "Draw it", status: "completed" },
        { id: "t2", title: "Wire it up", status: "pending" },
      ],
      body: "## Context\n\nWhat it is about.",
    });
  });

  it.each([
    ["no front matter", "# A title\n\nText.", "# A title\n\nText."],
    ["front matter without an end", "---\ntitle: x\n", "---\ntitle: x"],
    ["an empty file", "", ""],
    ["Windows line ends", "---\r\ntitle: x\r\n---\r\nText.", "Text."],
  ])("%s leaves the text as it is", (_, text, body) => {
    expect(parseMarkdown(text).body).toBe(body);
  });
});

describe("a folder is in the old format", () => {
  it.each([
    [true, "with story.md", ["story.md"], "story", "project"],
    [true, "with epic.md", ["epic.md"], "epic", "project"],
    [true, "with a folder of stories", ["stories"], "epic", "project"],
    [false, "with story.json too", ["story.json", "story.md"], "story", "project"],
    [false, "without any of them", ["notes.md"], "story", "project"],
    [true, "in the archive, with markdown stories", ["one.md", "two.md"], "story", "archive"],
    [false, "in the archive, with only a journal", ["journal.md"], "story", "archive"],
    [false, "in the archive, with tasks", ["a.json", "one.md"], "story", "archive"],
  ] as const)("is %s: %s", (isLegacy, _, names, kind, source) => {
    expect(isLegacyFolder(names, kind, source)).toBe(isLegacy);
  });
});

describe("a project in the old format", () => {
  it("has stories at the top, in epics and in the archive", () => {
    const project = newProject();
    project.write(".saga/stories/one/story.md", LEGACY_STORY);
    project.write(".saga/stories/two.md", "# The second");
    project.write(".saga/epics/auth/stories/three/story.md", "# The third");
    project.write(".saga/archive/pay/four.md", "# The fourth");
    project.write(".saga/archive/pay/epic.md", "# Pay");
    project.write(".saga/archive/two.md", "# Shown as the open one");
    project.write(".saga/stories/new/story.json", aStory("new"));
    project.write(".saga/stories/new/story.md", LEGACY_STORY);
    const { stories, epics, problems } = readLegacyProject(layoutOf(project.path));
    expect(stories.map(({ id, epic, isArchived }) => [id, epic, isArchived])).toEqual([
      ["one", "auth", false],
      ["two", undefined, false],
      ["auth--three", "auth", false],
      ["pay--four", "pay", true],
    ]);
    expect(epics).toEqual([{ id: "auth", markdown: undefined, stories: ["auth--three"] }]);
    expect(problems).toEqual([]);
  });

  it("does not follow links, and skips names that are not ids", () => {
    const project = newProject();
    project.write("secret.md", LEGACY_STORY);
    project.link(".saga/stories/leak/story.md", "../../../secret.md");
    project.write(".saga/stories/Not an id.md", LEGACY_STORY);
    project.write(".saga/epics/Not an id/epic.md", LEGACY_STORY);
    expect(readLegacyProject(layoutOf(project.path))).toMatchObject({ stories: [], epics: [] });
  });
});
