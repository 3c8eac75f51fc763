import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  anEpic,
  aStory,
  aTask,
  newFolder,
  newProject,
  ODD_NAMES,
} from "../../../../test/support/project.ts";
import { misused, refused } from "../../../../test/support/refused.ts";
import { complaint, problemsOf, withStory } from "../../../../test/support/validated.ts";
import { newWorktree } from "../../../../test/support/worktree.ts";

describe("saga validate", () => {
  it("says what it has looked at when nothing is wrong", async () => {
    const project = withStory({}, aTask("t"), aTask("u", { blockedBy: ["t"] }));
    project.write(".saga/epics/e/epic.json", anEpic("e", [{ id: "s" }]));
    const { exitCode, stdout, stderr } = await project.saga("validate");
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout).toBe("Valid: 1 epic, 1 story, 2 tasks.\n");
  });

  it("shows the same in JSON", async () => {
    const { exitCode, json } = await withStory().saga("validate", "--json");
    expect(exitCode).toBe(0);
    expect(json()).toEqual({
      isValid: true,
      counts: { epics: 0, stories: 1, tasks: 0 },
      problems: [],
    });
  });

  it("accepts an empty project", async () => {
    expect((await newProject().saga("validate")).stdout).toBe("No epics, stories or tasks yet.\n");
  });

  it("accepts fields that it does not know", async () => {
    expect((await withStory({ ours: { deep: [1] } }).saga("validate")).exitCode).toBe(0);
  });

  it("warns of one that is called almost like a field: a check by a wrong name is never run", async () => {
    const project = withStory({ write_files: ["src/**"] }, aTask("t", { check: ["npm test"] }));
    const { exitCode, stdout } = await project.saga("validate");
    expect(exitCode).toBe(0);
    expect(stdout).toContain(
      'warning: `check` is not a known field, and has no effect.\n    Did you mean "checks"?',
    );
    expect(stdout).toContain("warning: `write_files` is not a known field");
  });

  it("says where a missing field is, by another name", async () => {
    const project = newProject();
    project.write(".saga/stories/s/story.json", { id: "s", title: "S", descripton: "What it is." });
    expect(await complaint(project)).toContain(
      '`description` is missing.\n    Rename "descripton" to "description".',
    );
  });

  it("reports all problems at once, sorted by file, each with its place and the fix", async () => {
    const project = newProject();
    project.write(".saga/config.toml", "[size]\nmax_lines = 0\n");
    project.write(".saga/stories/b/story.json", aStory("b", { title: 5, status: "done" }));
    project.write(".saga/stories/a/story.json", "{");
    project.write(".saga/epics/e/epic.json", anEpic("e", [{ id: "nope" }]));
    expect((await complaint(project)).split("\n")).toEqual([
      ".saga/config.toml:2: error: `size.max_lines` must be at least 1, but is 0.",
      "    Use a value of at least 1.",
      ".saga/epics/e/epic.json:7:7: error: Epic e lists the story nope, which does not exist.",
      '    Create it (`saga new story nope --epic e -d "…"`), or remove it here.',
      expect.stringMatching(
        /^\.saga\/stories\/a\/story\.json:1:2: error: This is not valid JSON: /,
      ),
      "    Close every bracket and string.",
      expect.stringMatching(
        /^\.saga\/stories\/b\/story\.json:3:3: error: `title` must be a string/,
      ),
      '    Use a string, for example "…".',
      '.saga/stories/b/story.json:5:3: error: `status` must be one of pending, in_progress, completed, but is "done".',
      "    Use one of pending, in_progress, completed.",
      "5 errors in 1 epic, 2 stories, 0 tasks.",
      "",
    ]);
  });

  it("does not count markdown in the archive, and finds nothing wrong with it", async () => {
    const project = withStory({});
    project.write(".saga/archive/old/story.md", "# Old\n");
    project.write(".saga/archive/auth/login.md", "# Login\n");
    project.write(".saga/archive/older.md", "# Older\n");
    expect((await project.saga("validate", "--json")).json()).toEqual({
      isValid: true,
      counts: { epics: 0, stories: 1, tasks: 0 },
      problems: [],
    });
  });

  it("shows the whole path, the line and the column in JSON", async () => {
    const project = withStory({ title: 5 });
    const { exitCode, json } = await project.saga("validate", "--json");
    expect(exitCode).toBe(1);
    expect(json()).toEqual({
      isValid: false,
      counts: { epics: 0, stories: 1, tasks: 0 },
      problems: [
        {
          file: join(project.path, ".saga/stories/s/story.json"),
          line: 3,
          column: 3,
          severity: "error",
          path: ["title"],
          message: "`title` must be a string, but is a number.",
          reason: "must be a string, but is a number",
          fix: 'Use a string, for example "…".',
        },
      ],
    });
  });

  it("says nothing of the place where a story is just being merged", async () => {
    const project = newProject();
    mkdirSync(join(project.path, ".saga/worktrees/merge.add-login"), { recursive: true });
    expect((await project.saga("validate", "--json")).json()).toMatchObject({ problems: [] });
    mkdirSync(join(project.path, ".saga/worktrees/merge.My Notes"));
    expect((await project.saga("validate", "--json")).json()).toMatchObject({
      problems: [{ file: expect.stringContaining("merge.My Notes") as string }],
    });
  });

  it("only warns of a folder among the worktrees that is not a worktree", async () => {
    const project = newProject();
    mkdirSync(join(project.path, ".saga/worktrees/mine"), { recursive: true });
    const { exitCode, stdout } = await project.saga("validate");
    expect(exitCode).toBe(0);
    expect(stdout).toContain(".saga/worktrees/mine: warning: ");
    expect(stdout).toMatch(/No epics, stories or tasks yet\. 1 warning\.\n$/);
  });
});

describe("saga validate finds in a file", () => {
  it.each([
    ["broken JSON", '{\n  "id": "s",,\n}\n', "story.json:2:13: error: This is not valid JSON"],
    ["a comment", '{\n  // no\n  "id": "s"\n}\n', "story.json:2:3: error: This is not valid JSON"],
    ["nothing", "\n", "story.json: error: The file is empty."],
    [
      "a byte order mark",
      "\uFEFF{}",
      "story.json:1:1: error: The file starts with a byte order mark",
    ],
    ["a list", "[]", "story.json:1:1: error: The file must be an object"],
    [
      "a duplicate key",
      '{"id":"s","title":"a","description":"b","title":"c"}',
      'story.json:1:41: error: Duplicate key "title".',
    ],
  ])("%s", async (_, text, sentence) => {
    const project = newProject();
    project.write(".saga/stories/s/story.json", text);
    expect(await complaint(project)).toContain(`.saga/stories/s/${sentence}`);
  });

  it.each([
    ["a missing field", { title: undefined }, "`title` is missing."],
    ["a wrong type", { labels: "web" }, "`labels` must be a list"],
    ["null", { guidance: null }, "`guidance` must be a string, but is null."],
    ["an empty title", { title: " " }, '`title` (" ") is empty.'],
    ["a line break in a title", { title: "a\nb" }, "contains a line break or control character."],
    ["a title that is too long", { title: "x".repeat(201) }, "is longer than 200 characters."],
    ["an unknown status", { status: "done" }, "`status` must be one of pending, in_progress"],
    ["a priority out of range", { priority: 5 }, "`priority` must be at most 4, but is 5."],
    [
      "a priority that is not a whole number",
      { priority: 1.5 },
      "`priority` must be a whole number",
    ],
    ["a label with a space", { labels: ["a b"] }, '`labels[0]` ("a b") may only contain letters'],
    ["a glob that climbs out", { writeFiles: ["a/../../b"] }, "leads out of the project."],
    ["an absolute glob", { writeFiles: ["/etc/*"] }, "is not inside the project."],
    ["an empty check", { checks: [""] }, '`checks[0]` ("") is empty.'],
    ["an invalid branch name", { branch: "a..b" }, '`branch` ("a..b") is not a branch name.'],
    ["an invalid pull request", { pr: "12" }, "is neither a web address nor"],
  ])("%s", async (_, fields, sentence) => {
    expect(await complaint(withStory(fields))).toContain(sentence);
  });

  it("an id that breaks the rules", async () => {
    const project = withStory({}, aTask("t"));
    project.write(".saga/stories/s/Bad Task.json", aTask("Bad Task"));
    project.write(".saga/stories/s/12.json", aTask("12"));
    const output = await complaint(project);
    expect(output).toContain(".saga/stories/s/Bad Task.json:2:3: error: ");
    expect(output).toContain('`id` ("12") may not be all digits');
  });

  it("a folder name that breaks the rules, with one that does not", async () => {
    const project = newProject();
    project.write(".saga/stories/Add Login/story.json", aStory("add-login"));
    project.write(".saga/epics/User_Auth/epic.json", anEpic("user-auth", []));
    const output = await complaint(project);
    expect(output).toContain(
      '.saga/stories/Add Login: error: The folder name "Add Login" may only',
    );
    expect(output).toContain("Rename it to add-login.");
    expect(output).toContain("Rename it to user-auth.");
  });

  it.each([
    ["story", ".saga/stories/a/story.json", aStory("b"), "the folder is called"],
    ["epic", ".saga/epics/a/epic.json", anEpic("b", []), "the folder is called"],
    ["task", ".saga/stories/s/a.json", aTask("b"), "the file is called"],
  ])("an id that differs from its name: %s", async (_, file, content, carrier) => {
    const project = withStory();
    project.write(file, content);
    const output = await complaint(project);
    expect(output).toContain(`${file}:2: error: The id is "b", but ${carrier} "a".`);
    expect(output).toContain("so that they are the same.");
  });

  it("settings with an unknown key, a bad value or broken TOML", async () => {
    const project = newProject();
    project.write(".saga/config.toml", '[size]\nmax_files = "many"\nmax_flies = 1\n[nope]\n');
    const output = await complaint(project);
    expect(output).toContain(".saga/config.toml:2: error: `size.max_files` must be a number");
    expect(output).toContain(".saga/config.toml:3: error: `size.max_flies` is not a known field.");
    expect(output).toContain(".saga/config.toml:4: error: `nope` is not a known field.");
    project.write(".saga/config.toml", "[size\n");
    expect(await complaint(project)).toContain(
      ".saga/config.toml:1:6: error: This is not valid TOML",
    );
  });

  it("a journal that an edit has made unclear", async () => {
    const project = withStory();
    project.write(
      ".saga/stories/s/journal.md",
      [
        "# Journal",
        "## 2026-11-15T21:48:00.000Z Blocker b1: One?",
        "## 2026-11-15T21:49:00.000Z Blocker b1: Two?",
        "## 2026-11-15T21:50:00.000Z Blocker: Three?",
        "## 2026-11-15T21:51:00.000Z Resolution b9: Four.",
      ].join("\n"),
    );
    const output = await complaint(project);
    expect(output).toContain("journal.md:3: error: The number b1 is used by two blockers.");
    expect(output).toContain("journal.md:4: error: This blocker has no number.");
    expect(output).toContain("journal.md:5: error: This resolves b9, which is not in the journal.");
  });

  it("the archive too", async () => {
    const project = newProject();
    project.write(".saga/archive/old/story.json", "{");
    expect(await complaint(project)).toContain(".saga/archive/old/story.json:1:2: error: ");
  });

  it("the copy in a worktree, which is the true one", async () => {
    const project = withStory({ title: 5 });
    const live = newWorktree(project, "s", aStory("s", { priority: 9 }));
    const output = await complaint(project);
    expect(output).toContain(`${live}/story.json:5:3: error: \`priority\``);
    expect(output).not.toContain("`title`");
  });
});

describe("saga validate as a command line", () => {
  it("takes no words", async () => {
    expect((await misused(newProject(), "validate", "s")).message).toContain("Too many");
  });

  it("names a file that is called .saga", async () => {
    const folder = newFolder();
    folder.write(".saga", "in the way\n");
    const { text } = await refused(folder, "validate");
    expect(text).toContain(join(folder.path, ".saga"));
  });

  it.each(ODD_NAMES)("works in a folder with %s in its name", async (_, name) => {
    const project = newProject(name);
    project.write(".saga/stories/s/story.json", "{");
    expect(await complaint(project)).toContain(".saga/stories/s/story.json:1:2: error: ");
    const [problem] = await problemsOf(project);
    expect(problem?.file).toBe(join(project.path, ".saga/stories/s/story.json"));
  });
});
