import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { JOURNAL_FILE, withStory } from "../../../../test/support/journalled.ts";
import { aStory, newFolder, newProject, snapshot } from "../../../../test/support/project.ts";
import { isHarmless, refused } from "../../../../test/support/refused.ts";

describe("saga journal refuses", () => {
  it("a story that is not there", async () => {
    for (const more of [[], ["--decision", "x"]]) {
      const { code, text } = await refused(newProject(), "journal", "nope", ...more);
      expect(code).toBe("not-found");
      expect(text).toContain("There is no story nope.");
      expect(text).toContain("saga list");
    }
  });

  it("an id that breaks the rules", async () => {
    const { code, text } = await refused(withStory(), "journal", "../s", "--decision", "x");
    expect(code).toBe("bad-id");
    expect(text).toContain("Try `s`.");
  });

  it("a resolution when nothing is open", async () => {
    const { code, text } = await refused(withStory(), "journal", "s", "--resolution", "x");
    expect(code).toBe("not-found");
    expect(text).toContain("There is nothing to answer.");
  });

  it("a resolution of several at once: it names them", async () => {
    const project = withStory();
    await project.saga("journal", "s", "--blocker", "One?");
    await project.saga("journal", "s", "--blocker", "Two?");
    const { text } = await refused(project, "journal", "s", "--resolution", "x");
    expect(text).toContain("The story s has 2 open questions.");
    expect(text).toContain("Name one of them: b1, b2.");
  });

  it("a resolution of one that is not open: it names those that are", async () => {
    const project = withStory();
    await project.saga("journal", "s", "--blocker", "One?");
    const { text } = await refused(project, "journal", "s", "--resolution", "x", "--of", "b7");
    expect(text).toContain("The story s has no open question b7.");
    expect(text).toContain("b1");
  });

  it("to add to a broken story, with the file and the line", async () => {
    const project = newProject();
    project.write(".saga/stories/s/story.json", "{\n");
    const { code, text } = await refused(project, "journal", "s", "--decision", "x");
    expect(code).toBe("bad-file");
    expect(text).toContain(".saga/stories/s/story.json:2:1: error: This is not valid JSON");
  });

  it("a folder in the place of the journal", async () => {
    const project = withStory();
    mkdirSync(join(project.path, JOURNAL_FILE));
    for (const more of [[], ["--decision", "x"]]) {
      const { text } = await refused(project, "journal", "s", ...more);
      expect(text).toContain(JOURNAL_FILE);
    }
  });

  it("a file in the place of the story's folder", async () => {
    const project = newProject();
    project.write(".saga/stories/s", "in the way\n");
    for (const more of [[], ["--decision", "x"]]) {
      const { text } = await refused(project, "journal", "s", ...more);
      expect(text).toContain(".saga/stories/s");
    }
  });

  it.each([
    ["the stories folder", ".saga/stories", "."],
    ["the story's folder", ".saga/stories/s", "s"],
    ["the journal", JOURNAL_FILE, "s/journal.md"],
  ])("to read or write through a link out of .saga: %s", async (_, link, target) => {
    const project = link === JOURNAL_FILE ? withStory() : newProject();
    const outside = newFolder("outside");
    outside.write("s/story.json", aStory("s"));
    outside.write("s/journal.md", "## 2026-11-15T21:48:00.000Z Decision: A secret\n");
    project.link(link, join(outside.path, target));
    const before = snapshot(outside.path);
    for (const more of [[], ["--decision", "x"]]) {
      const { text } = await refused(project, "journal", "s", ...more);
      expect(text).toContain(link);
      expect(text).not.toContain("A secret");
    }
    expect(snapshot(outside.path)).toBe(before);
  });
});

describe("nothing in a journal reaches the terminal raw", () => {
  const escape = "\u001b[2J\u001b]0;title\u0007\u009b31m\u202e";

  it("when it is read", async () => {
    const project = withStory();
    const heading = "## 2026-11-15T21:48:00.000Z Decision:";
    project.write(JOURNAL_FILE, `${heading} a ${escape} b\n\nc ${escape} d\r\ne\n`);
    const { exitCode, stdout } = await project.saga("journal", "s");
    expect(exitCode).toBe(0);
    expect(stdout).toContain("a ␛[2J");
    expect(isHarmless(stdout)).toBe(true);
  });

  it("when it is added to", async () => {
    const words = ["--decision", `a${escape}b`, "--body", `c${escape}d`];
    const { exitCode, stdout } = await withStory().saga("journal", "s", ...words);
    expect(exitCode).toBe(0);
    expect(isHarmless(stdout)).toBe(true);
  });
});
