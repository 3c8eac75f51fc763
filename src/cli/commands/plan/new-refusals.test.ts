import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { anEpic, aStory, newFolder, newProject } from "../../../../test/support/project.ts";
import { refused, wholeDisk } from "../../../../test/support/refused.ts";

describe("saga new refuses", () => {
  it.each([
    ["epic", ["User Auth"], "user-auth"],
    ["epic", ["user_auth"], "user-auth"],
    ["story", ["Añadir-Login"], "anadir-login"],
    ["story", ["../escape"], "escape"],
    ["story", ["a---b"], "a--b"],
    ["story", ["a".repeat(101)], "a".repeat(100)],
    ["task", ["s", "Write Tests"], "write-tests"],
    ["task", ["s", "one--two"], "one-two"],
  ])("an id that breaks the rules, and proposes one: %s %j", async (kind, words, proposed) => {
    const project = newProject();
    project.write(".saga/stories/s/story.json", aStory("s"));
    const { code, text } = await refused(project, "new", kind, ...words, "-d", "x");
    expect(code).toBe("bad-id");
    expect(text).toContain(`Try \`${proposed}\`.`);
  });

  it.each(["12", "story", "epic"])("a task called %s", async (id) => {
    const project = newProject();
    project.write(".saga/stories/s/story.json", aStory("s"));
    const { code, message } = await refused(project, "new", "task", "s", id, "-d", "x");
    expect(code).toBe("bad-id");
    expect(message).toContain(`"${id}"`);
  });

  it.each<[what: string, command: string, code: string, texts: readonly string[], files?: object]>([
    [
      "a task for a story that does not exist",
      "new task nope t -d x",
      "not-found",
      ["There is no story nope.", "saga list"],
    ],
    [
      "a story for an epic that does not exist",
      "new story s --epic nope -d x",
      "not-found",
      ["There is no epic nope."],
    ],
    [
      "a story whose id names an epic that does not exist, with the command that creates it",
      "new story auth--login -d x",
      "not-found",
      ["Cannot create auth--login: there is no epic auth.", '`saga new epic auth -d "…"`'],
    ],
    [
      "a task that waits for one that does not exist",
      "new task s t -d x --blocked-by nope",
      "bad-plan",
      ["Task t waits for nope, which is not a task of this story."],
    ],
    [
      "a task that waits for itself",
      "new task s t -d x --blocked-by t",
      "bad-plan",
      ["These tasks wait for each other: t → t."],
    ],
    [
      "a story that waits for one outside its epic",
      "new story s2 --epic e -d x --blocked-by s",
      "bad-plan",
      ["Story e--s2 waits for s, which is not a story of the epic e."],
      { ".saga/epics/e/epic.json": anEpic("e", []) },
    ],
    [
      "an order for a story that is in no epic: there is nothing to keep it in",
      "new story second -d x --blocked-by s",
      "bad-plan",
      ["epic"],
    ],
    [
      "a task that is too large, with the advice to split it",
      "new task s t -d x --lines 900",
      "bad-plan",
      ["Task t declares 900 changed lines; at most 200 are allowed.", "Split it"],
    ],
    [
      "a task for a completed story",
      "new task s t -d x",
      "bad-plan",
      ["Story s is completed"],
      { ".saga/stories/s/story.json": aStory("s", { status: "completed" }) },
    ],
    [
      "anything while the settings are wrong, with the line",
      "new story s -d x",
      "bad-setting",
      [".saga/config.toml:2: error: `size.max_files` must be a number"],
      { ".saga/config.toml": "[size]\nmax_files = 'many'\n" },
    ],
    [
      "a task for a story whose files are broken, with the file and the line",
      "new task s t -d x",
      "bad-file",
      [".saga/stories/s/story.json:3:12: error: This is not valid JSON"],
      { ".saga/stories/s/story.json": '{\n  "id": "s",\n  "title": }\n' },
    ],
    [
      "a story for an epic whose file is broken",
      "new story s --epic e -d x",
      "bad-file",
      [".saga/epics/e/epic.json"],
      { ".saga/epics/e/epic.json": "{" },
    ],
  ])("%s", async (_, command, code, texts, files = {}) => {
    const project = newProject();
    project.write(".saga/stories/s/story.json", aStory("s"));
    for (const [file, content] of Object.entries(files)) project.write(file, content);
    const refusal = await refused(project, command);
    expect(refusal.code).toBe(code);
    for (const text of texts) expect(refusal.text).toContain(text);
  });

  it.each([
    ["--title", ""],
    ["--title", "two\nlines"],
    ["--title", "red \u001b[31m"],
    ["--priority", "9"],
    ["--label", "two words"],
    ["--write", "../outside"],
    ["--write", "/etc/passwd"],
    ["--check", ""],
  ])("a story with a bad value: %s %j", async (option, value) => {
    const project = newProject();
    const { code, problems } = await refused(project, "new story s -d x", option, value);
    expect(code).toBe("bad-plan");
    expect(problems).toHaveLength(1);
  });

  it.each([
    ["--subject", ""],
    ["--subject", "two\nlines"],
    ["--active-form", "red \u001b[31m"],
    ["--write", "../outside"],
    ["--write", "~/outside"],
    ["--check", ""],
    ["--blocked-by", "Not An Id"],
  ])("a task with a bad value: %s %j", async (option, value) => {
    const project = newProject();
    project.write(".saga/stories/s/story.json", aStory("s"));
    const refusal = await refused(project, "new", "task", "s", "t", "-d", "x", option, value);
    expect(refusal.code).toBe("bad-plan");
  });

  it.each([
    ["--label", "a/ b"],
    ["--write", "../x"],
    ["--check", ""],
    ["--title", "two\nlines"],
    ["--priority", "9"],
  ])(
    "with the option that is wrong, not a file that was never written: %s",
    async (option, value) => {
      const project = newProject();
      const { problems, text } = await refused(project, "new story s -d x", option, value);
      expect(problems.map(({ file }) => file)).toEqual([option]);
      expect(text).toContain(`\n${option}: error: `);
      expect(text).not.toContain("story.json");
    },
  );

  it("with --blocked-by for an order that cannot be", async () => {
    const project = newProject();
    project.write(".saga/epics/e/epic.json", anEpic("e", []));
    const words = ["new", "story", "s", "--epic", "e", "-d", "x", "--blocked-by", "A b,none"];
    const { problems } = await refused(project, ...words);
    expect(problems[0]).toMatchObject({
      file: "--blocked-by",
      message: expect.stringMatching(
        /^The value \("A b"\) may only contain lower-case letters/,
      ) as string,
    });
  });
});

describe("saga new does not write through what is in its way", () => {
  it.each([
    ["a file called stories", ".saga/stories"],
    ["a file called like the story", ".saga/stories/s"],
    ["a file called leases", ".saga/leases"],
    ["a file called transaction", ".saga/transaction"],
  ])("%s", async (_, file) => {
    const project = newProject();
    project.write(file, "in the way\n");
    const { text } = await refused(project, "new", "story", "s", "-d", "x");
    expect(text).toContain(join(project.path, file));
  });

  it("a file called epics", async () => {
    const project = newProject();
    project.write(".saga/epics", "in the way\n");
    const { text } = await refused(project, "new", "epic", "e", "-d", "x");
    expect(text).toContain(join(project.path, ".saga/epics"));
  });

  it("a folder in the place of the story's file", async () => {
    const project = newProject();
    mkdirSync(join(project.path, ".saga/stories/s/story.json"), { recursive: true });
    const { text } = await refused(project, "new", "story", "s", "-d", "x");
    expect(text).toContain(".saga/stories/s/story.json");
  });

  it.each([
    ["the stories folder", ".saga/stories"],
    ["the story's folder", ".saga/stories/s"],
  ])("%s being a link out of .saga", async (_, link) => {
    const project = newProject();
    const outside = newFolder("outside");
    outside.write("s/story.json", aStory("s"));
    project.link(link, link.endsWith("/s") ? join(outside.path, "s") : outside.path);
    const before = wholeDisk(outside.path);
    for (const words of [
      ["task", "s", "t"],
      ["story", "s"],
    ]) {
      const { text } = await refused(project, "new", ...words, "-d", "x");
      expect(text).toContain("leads out of .saga");
    }
    expect(wholeDisk(outside.path)).toBe(before);
  });

  it("a link out of .saga that leads nowhere yet", async () => {
    const project = newProject();
    const outside = newFolder("outside");
    project.link(".saga/stories/s", join(outside.path, "not-yet"));
    const before = wholeDisk(outside.path);
    const { text } = await refused(project, "new", "story", "s", "-d", "x");
    expect(text).toContain(".saga/stories/s");
    expect(wholeDisk(outside.path)).toBe(before);
  });

  it("a link that leads to itself", async () => {
    const project = newProject();
    project.link(".saga/stories/s", "s");
    const { text } = await refused(project, "new", "story", "s", "-d", "x");
    expect(text).toContain(".saga/stories/s");
  });
});

// Root may write anywhere.
describe.skipIf(process.getuid?.() === 0)("saga new where it may not write", () => {
  it.each([".saga", ".saga/stories/s"])("refuses: %s", async (folder) => {
    const project = newProject();
    await project.saga("new", "story", "s", "-d", "x");
    chmodSync(join(project.path, folder), 0o555);
    onTestFinished(() => chmodSync(join(project.path, folder), 0o755));
    const { code, text } = await refused(project, "new", "task", "s", "t", "-d", "x");
    expect(code).toBe("not-writable");
    expect(text).toContain(join(project.path, ".saga"));
  });
});
