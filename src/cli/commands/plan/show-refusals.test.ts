import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { projectWith } from "../../../../test/support/one-story.ts";
import {
  anEpic,
  aStory,
  aTask,
  newFolder,
  newProject,
  type Project,
} from "../../../../test/support/project.ts";
import { isHarmless, misused, refused } from "../../../../test/support/refused.ts";

const withStory = (fields: Record<string, unknown> = {}): Project =>
  projectWith(aStory("s", fields));

describe("saga show refuses", () => {
  it("what does not exist, and says where to look", async () => {
    const { code, text } = await refused(newProject(), "show", "nope");
    expect(code).toBe("not-found");
    expect(text).toContain("There is no story and no epic called nope.");
    expect(text).toContain("saga list");
  });

  it("an id that breaks the rules, and proposes one", async () => {
    const { code, text } = await refused(newProject(), "show", "Add Login");
    expect(code).toBe("bad-id");
    expect(text).toContain("Try `add-login`.");
  });

  it.each(["..", ".", "s\u0000", "s\u001b[31m"])("to look anywhere else: %j", async (id) => {
    const { code } = await refused(withStory(), "show", id);
    expect(code).toBe("bad-id");
  });

  it.each([
    ["broken JSON", "{\n", ".saga/stories/bad/story.json:2:1: error: This is not valid JSON"],
    ["an empty file", "", ".saga/stories/bad/story.json: error: The file is empty."],
    [
      "a wrong type",
      JSON.stringify(aStory("bad", { title: 5 }), undefined, 2),
      ".saga/stories/bad/story.json:3:3: error: `title` must be a string",
    ],
    [
      "an id that is not the folder's",
      JSON.stringify(aStory("other"), undefined, 2),
      '.saga/stories/bad/story.json:2: error: The id is "other", but the folder is called "bad".',
    ],
  ])("%s, with the file and the line", async (_, text, sentence) => {
    const project = newProject();
    project.write(".saga/stories/bad/story.json", text);
    const refusal = await refused(project, "show", "bad");
    expect(refusal.code).toBe("bad-file");
    expect(refusal.text).toContain(sentence);
    expect(refusal.text).toContain("saga validate");
  });

  it("a broken epic, with the file", async () => {
    const project = newProject();
    project.write(".saga/epics/bad/epic.json", "{");
    const { code, text } = await refused(project, "show", "bad");
    expect(code).toBe("bad-file");
    expect(text).toContain(".saga/epics/bad/epic.json:1:2");
  });

  it("a file in the place of the story's folder", async () => {
    const project = newProject();
    project.write(".saga/stories/s", "in the way\n");
    const { text } = await refused(project, "show", "s");
    expect(text).toContain(".saga/stories/s: error: This is not a folder.");
  });

  it("a folder in the place of the journal", async () => {
    const project = withStory();
    mkdirSync(join(project.path, ".saga/stories/s/journal.md"));
    const { text } = await refused(project, "show", "s");
    expect(text).toContain(".saga/stories/s/journal.md");
  });

  it.each([
    ["the stories folder", ".saga/stories", "."],
    ["the story's folder", ".saga/stories/s", "s"],
    ["the story's file", ".saga/stories/s/story.json", "s/story.json"],
    ["a task's file", ".saga/stories/t/task.json", "s/task.json"],
    ["the journal", ".saga/stories/t/journal.md", "s/journal.md"],
    ["the archive", ".saga/archive", "."],
  ])("to follow a link out of .saga: %s", async (_, link, target) => {
    const project = newProject();
    const outside = newFolder("outside");
    outside.write("s/story.json", aStory("s"));
    outside.write("s/task.json", aTask("task"));
    outside.write("s/journal.md", "## 2026-11-15T21:48:00.000Z Blocker b1: A secret?\n");
    outside.write("worktree/.git", "gitdir: elsewhere\n");
    outside.write("worktree/.saga/stories/s/story.json", aStory("s"));
    if (link.includes("/t/")) project.write(".saga/stories/t/story.json", aStory("t"));
    project.link(link, join(outside.path, target));
    const { text } = await refused(project, "show", link.includes("/t/") ? "t" : "s");
    expect(text).toContain(link);
    expect(text).toMatch(/link/);
  });

  it("to show nothing, or more than a story and its task", async () => {
    expect((await misused(newProject(), "show")).message).toContain("<story-or-epic>");
    expect((await misused(newProject(), "show", "a", "b", "c")).message).toContain("Too many");
  });
});

describe("nothing in a file reaches the terminal raw from saga show", () => {
  const escape = "\u001b[2J\u001b]0;title\u0007\u009b31m\r\u202e\u2066";

  function spoilt(): Project {
    const text = `before ${escape} after`;
    const project = withStory({
      description: text,
      guidance: text,
      doneWhen: text,
      avoid: text,
      checks: [text],
      writeFiles: [text],
    });
    const fields = { description: text, guidance: text, doneWhen: text, checks: [text] };
    project.write(".saga/stories/s/t.json", aTask("t", { ...fields, writeFiles: [text] }));
    project.write(".saga/epics/e/epic.json", anEpic("e", [], { description: text }));
    project.write(
      ".saga/stories/s/journal.md",
      `## 2026-11-15T21:48:00.000Z Blocker b1: Which${escape}?\n\nBody ${escape}\n`,
    );
    return project;
  }

  it.each(["s", "s/t", "e"])("as text: %s", async (id) => {
    const { exitCode, stdout } = await spoilt().saga("show", id);
    expect(exitCode).toBe(0);
    expect(stdout).toContain("before ␛[2J");
    expect(stdout).toContain("after");
    expect(isHarmless(stdout)).toBe(true);
  });

  it.each(["s", "s/t", "e"])("as JSON, which still holds the very text: %s", async (id) => {
    const { stdout, json } = await spoilt().saga("show", id, "--json");
    expect(JSON.stringify(json())).toContain(JSON.stringify(`before ${escape} after`).slice(1, -1));
    expect(isHarmless(stdout)).toBe(true);
  });
});
