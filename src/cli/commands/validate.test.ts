import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Problem } from "../../errors.ts";
import {
  anEpic,
  aStory,
  aTask,
  newFolder,
  newProject,
  ODD_NAMES,
  type Project,
} from "../../../test/support/project.ts";
import { isHarmless, misused, refused, wholeDisk } from "../../../test/support/refused.ts";
import { newWorktree } from "../../../test/support/worktree.ts";

/** What is wrong, as people see it; that there is something, the exit code and the disk are checked. */
async function complaint(project: Project): Promise<string> {
  const before = wholeDisk(project.path);
  const { exitCode, stdout, stderr } = await project.saga("validate");
  expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: "" });
  expect(isHarmless(stdout)).toBe(true);
  expect(stdout).toMatch(/\d+ errors? in \d+ epics?, \d+ stor(y|ies), \d+ tasks?\./);
  const problems = await problemsOf(project);
  expect(problems.every(({ message, fix }) => message.endsWith(".") && fix.endsWith("."))).toBe(
    true,
  );
  expect(wholeDisk(project.path)).toBe(before);
  return stdout;
}

const problemsOf = async (project: Project): Promise<readonly Problem[]> =>
  ((await project.saga("validate", "--json")).json() as { problems: Problem[] }).problems;

function withStory(fields: Record<string, unknown> = {}, ...tasks: Record<string, unknown>[]) {
  const project = newProject();
  project.write(".saga/stories/s/story.json", aStory("s", fields));
  for (const task of tasks) project.write(`.saga/stories/s/${String(task["id"])}.json`, task);
  return project;
}

describe("saga validate", () => {
  it("says what it has looked at when nothing is wrong", async () => {
    const project = withStory({}, aTask("t"), aTask("u", { blockedBy: ["t"] }));
    project.write(".saga/epics/e/epic.json", anEpic("e", [{ id: "s" }]));
    const { exitCode, stdout, stderr } = await project.saga("validate");
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout).toBe("Valid: 1 epic, 1 story, 2 tasks.\n");
  });

  it("tells programs the same", async () => {
    const { exitCode, json } = await withStory().saga("validate", "--json");
    expect(exitCode).toBe(0);
    expect(json()).toEqual({
      isValid: true,
      counts: { epics: 0, stories: 1, tasks: 0 },
      problems: [],
    });
  });

  it("accepts an empty project", async () => {
    expect((await newProject().saga("validate")).stdout).toBe(
      "Valid: 0 epics, 0 stories, 0 tasks.\n",
    );
  });

  it("accepts fields that it does not know", async () => {
    expect((await withStory({ ours: { deep: [1] } }).saga("validate")).exitCode).toBe(0);
  });

  it("warns of one that is called almost like a field: a check by a wrong name is never run", async () => {
    const project = withStory({ write_files: ["src/**"] }, aTask("t", { check: ["npm test"] }));
    const { exitCode, stdout } = await project.saga("validate");
    expect(exitCode).toBe(0);
    expect(stdout).toContain(
      'warning: `check` is not known here, and does nothing.\n    Call it "checks", if that is what it is.',
    );
    expect(stdout).toContain("warning: `write_files` is not known here");
  });

  it("says where a missing field is, by another name", async () => {
    const project = newProject();
    project.write(".saga/stories/s/story.json", { id: "s", title: "S", descripton: "What it is." });
    expect(await complaint(project)).toContain(
      '`description` is missing.\n    Call it "description" where it says "descripton".',
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
      ".saga/epics/e/epic.json:7:7: error: Epic e lists nope, and there is no such story.",
      '    Create it (`saga new story nope --epic e -d "…"`), or remove it here.',
      expect.stringMatching(
        /^\.saga\/stories\/a\/story\.json:1:2: error: This is not valid JSON: /,
      ),
      "    Correct it here.",
      expect.stringMatching(/^\.saga\/stories\/b\/story\.json:3:3: error: `title` must be text/),
      '    Write it as "…".',
      '.saga/stories/b/story.json:5:3: error: `status` must be one of pending, in_progress, completed, but is "done".',
      "    Use one of pending, in_progress, completed.",
      "5 errors in 1 epic, 2 stories, 0 tasks.",
      "",
    ]);
  });

  it("tells programs the whole path, the line and the column", async () => {
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
          message: expect.stringMatching(/^`title` must be text, .*\.$/) as string,
          fix: 'Write it as "…".',
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

  it("only warns of a folder among the worktrees that is none", async () => {
    const project = newProject();
    mkdirSync(join(project.path, ".saga/worktrees/mine"), { recursive: true });
    const { exitCode, stdout } = await project.saga("validate");
    expect(exitCode).toBe(0);
    expect(stdout).toContain(".saga/worktrees/mine: warning: ");
    expect(stdout).toMatch(/Valid: 0 epics, 0 stories, 0 tasks\. 1 warning\.\n$/);
  });

  it("has examples in its help", async () => {
    const { exitCode, stdout } = await newProject().saga("validate", "--help");
    expect(exitCode).toBe(0);
    expect(stdout).toContain("Usage: saga validate");
    expect(stdout).toMatch(/Examples:\n {2}saga validate\n/);
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
      "story.json:1:1: error: The file begins with a byte order mark",
    ],
    ["a list", "[]", "story.json:1:1: error: The file must be an object"],
    [
      "a key that stands twice",
      '{"id":"s","title":"a","description":"b","title":"c"}',
      'story.json:1:41: error: The key "title" stands here twice.',
    ],
  ])("%s", async (_, text, sentence) => {
    const project = newProject();
    project.write(".saga/stories/s/story.json", text);
    expect(await complaint(project)).toContain(`.saga/stories/s/${sentence}`);
  });

  it.each([
    ["a missing field", { title: undefined }, "`title` is missing."],
    ["a wrong type", { labels: "web" }, "`labels` must be a list"],
    ["null", { guidance: null }, "`guidance` must be text, but is null."],
    ["an empty title", { title: " " }, '`title` (" ") is empty.'],
    ["a line break in a title", { title: "a\nb" }, "holds a line break or control character."],
    ["a title that is too long", { title: "x".repeat(201) }, "is longer than 200 characters."],
    ["an unknown status", { status: "done" }, "`status` must be one of pending, in_progress"],
    ["a priority out of range", { priority: 5 }, "`priority` must be at most 4, but is 5."],
    ["a priority that is no whole number", { priority: 1.5 }, "`priority` must be a whole number"],
    ["a label with a space", { labels: ["a b"] }, '`labels[0]` ("a b") may only hold letters'],
    ["a glob that climbs out", { writeFiles: ["a/../../b"] }, "climbs out of the project."],
    ["an absolute glob", { writeFiles: ["/etc/*"] }, "is not inside the project."],
    ["an empty check", { checks: [""] }, '`checks[0]` ("") is empty.'],
    ["a branch that is none", { branch: "a..b" }, '`branch` ("a..b") is not a branch name.'],
    ["a pull request that is none", { pr: "12" }, "is neither a web address nor"],
  ])("%s", async (_, fields, sentence) => {
    expect(await complaint(withStory(fields))).toContain(sentence);
  });

  it("an id that breaks the rules", async () => {
    const project = withStory({}, aTask("t"));
    project.write(".saga/stories/s/Bad Task.json", aTask("Bad Task"));
    project.write(".saga/stories/s/12.json", aTask("12"));
    const said = await complaint(project);
    expect(said).toContain(".saga/stories/s/Bad Task.json:2:3: error: ");
    expect(said).toContain('`id` ("12") may not be all digits');
  });

  it("a folder name that breaks the rules, with one that does not", async () => {
    const project = newProject();
    project.write(".saga/stories/Add Login/story.json", aStory("add-login"));
    project.write(".saga/epics/User_Auth/epic.json", anEpic("user-auth", []));
    const said = await complaint(project);
    expect(said).toContain('.saga/stories/Add Login: error: The folder name "Add Login" may only');
    expect(said).toContain("Rename it to add-login.");
    expect(said).toContain("Rename it to user-auth.");
  });

  it.each([
    ["story", ".saga/stories/a/story.json", aStory("b"), "the folder is called"],
    ["epic", ".saga/epics/a/epic.json", anEpic("b", []), "the folder is called"],
    ["task", ".saga/stories/s/a.json", aTask("b"), "the file is called"],
  ])("an id that differs from its name: %s", async (_, file, content, carrier) => {
    const project = withStory();
    project.write(file, content);
    const said = await complaint(project);
    expect(said).toContain(`${file}:2: error: The id is "b", but ${carrier} "a".`);
    expect(said).toContain("they must be the same.");
  });

  it("settings with an unknown key, a bad value or broken TOML", async () => {
    const project = newProject();
    project.write(".saga/config.toml", '[size]\nmax_files = "many"\nmax_flies = 1\n[nope]\n');
    const said = await complaint(project);
    expect(said).toContain(".saga/config.toml:2: error: `size.max_files` must be a number");
    expect(said).toContain(".saga/config.toml:3: error: `size.max_flies` is not known here.");
    expect(said).toContain(".saga/config.toml:4: error: `nope` is not known here.");
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
    const said = await complaint(project);
    expect(said).toContain("journal.md:3: error: The blocker b1 stands here twice.");
    expect(said).toContain("journal.md:4: error: This blocker has no number.");
    expect(said).toContain("journal.md:5: error: This resolves b9, which is not in the journal.");
  });

  it("the archive too", async () => {
    const project = newProject();
    project.write(".saga/archive/old/story.json", "{");
    expect(await complaint(project)).toContain(".saga/archive/old/story.json:1:2: error: ");
  });

  it("the copy in a worktree, which is the true one", async () => {
    const project = withStory({ title: 5 });
    const live = newWorktree(project, "s", aStory("s", { priority: 9 }));
    const said = await complaint(project);
    expect(said).toContain(`${live}/story.json:5:3: error: \`priority\``);
    expect(said).not.toContain("`title`");
  });
});

describe("saga validate finds between files", () => {
  it.each([
    [
      "a task that waits for one that is not there",
      [aTask("t", { blockedBy: ["nope"] })],
      "t.json:7:5: error: Task t waits for nope, which is not a task of this story.",
    ],
    [
      "a cycle of tasks, by ids",
      [
        aTask("a", { blockedBy: ["c"] }),
        aTask("b", { blockedBy: ["a"] }),
        aTask("c", { blockedBy: ["b"] }),
      ],
      "a.json:6:3: error: These tasks wait for each other: a → c → b → a.",
    ],
    [
      "a task that waits for itself",
      [aTask("t", { blockedBy: ["t"] })],
      "t.json:6:3: error: These tasks wait for each other: t → t.",
    ],
    [
      "a task that is named twice",
      [aTask("t"), aTask("u", { blockedBy: ["t", "t"] })],
      "u.json:8:5: error: Task u lists t twice.",
    ],
    [
      "a task that is too large",
      [aTask("t", { estimatedLines: 201 })],
      "t.json:7:3: error: Task t declares 201 changed lines, and the ceiling is 200.",
    ],
  ])("%s", async (_, tasks, sentence) => {
    expect(await complaint(withStory({}, ...tasks))).toContain(`.saga/stories/s/${sentence}`);
  });

  it("a task with more files than the settings allow", async () => {
    const project = withStory({}, aTask("t", { writeFiles: ["a", "b"] }));
    project.write(".saga/config.toml", "[size]\nmax_files = 1\n");
    expect(await complaint(project)).toContain(
      "Task t declares 2 files to write, and the ceiling is 1.",
    );
  });

  it("a completed story with open tasks", async () => {
    const said = await complaint(withStory({ status: "completed" }, aTask("t")));
    expect(said).toContain("story.json:5:3: error: Story s is completed, but 1 of its 1 tasks");
  });

  it.each([
    [
      "a child that is not there",
      [{ id: "s" }, { id: "nope" }],
      "epic.json:10:7: error: Epic e lists nope, and there is no such story.",
    ],
    [
      "a child that stands twice",
      [{ id: "s" }, { id: "s" }],
      "epic.json:10:7: error: Epic e lists s twice.",
    ],
    [
      "a story that waits for one outside the epic",
      [{ id: "s", blockedBy: ["other"] }],
      "epic.json:9:9: error: Story s waits for other, which is not a story of the epic e.",
    ],
    [
      "a cycle of stories, by ids",
      [
        { id: "s", blockedBy: ["other"] },
        { id: "other", blockedBy: ["s"] },
      ],
      "error: These stories wait for each other: other → s → other.",
    ],
  ])("%s", async (_, children, sentence) => {
    const project = withStory();
    project.write(".saga/stories/other/story.json", aStory("other"));
    project.write(".saga/epics/e/epic.json", anEpic("e", children));
    expect(await complaint(project)).toContain(sentence);
  });

  it("a story whose epic is not there", async () => {
    const said = await complaint(withStory({ epic: "nope" }));
    expect(said).toContain(
      "story.json:5:3: error: Story s belongs to the epic nope, which does not exist.",
    );
    expect(said).toContain("saga new epic nope");
  });

  it("a story whose epic does not list it", async () => {
    const project = withStory({ epic: "e" });
    project.write(".saga/epics/e/epic.json", anEpic("e", []));
    expect(await complaint(project)).toContain("belongs to the epic e, which does not list it.");
  });

  it("a story in two epics", async () => {
    const project = withStory();
    project.write(".saga/epics/one/epic.json", anEpic("one", [{ id: "s" }]));
    project.write(".saga/epics/two/epic.json", anEpic("two", [{ id: "s" }]));
    expect(await complaint(project)).toContain("listed by more than one epic: one, two.");
  });

  it("a story that is archived and not", async () => {
    const project = withStory();
    project.write(".saga/archive/s/story.json", aStory("s", { status: "completed" }));
    expect(await complaint(project)).toContain(
      "The story s is in the archive and in stories as well.",
    );
  });

  it("nothing wrong in a reference to an archived story", async () => {
    const project = withStory();
    project.write(".saga/archive/old/story.json", aStory("old", { status: "completed" }));
    project.write(
      ".saga/epics/e/epic.json",
      anEpic("e", [{ id: "old" }, { id: "s", blockedBy: ["old"] }]),
    );
    expect((await project.saga("validate")).exitCode).toBe(0);
  });
});

describe("saga validate finds on the disk", () => {
  it.each([
    ["a story", ".saga/stories/linked", "s"],
    ["a story's file", ".saga/stories/linked/story.json", "s/story.json"],
    ["a task's file", ".saga/stories/s/task.json", "s/task.json"],
    ["a journal", ".saga/stories/s/journal.md", "s/journal.md"],
    ["an epic", ".saga/epics/linked", "s"],
    ["an epic's file", ".saga/epics/linked/epic.json", "s/epic.json"],
    ["an archived story", ".saga/archive/linked", "s"],
    ["the epics folder", ".saga/epics", "."],
    ["the archive folder", ".saga/archive", "."],
    ["the settings", ".saga/config.toml", "config.toml"],
    ["a worktree", ".saga/worktrees/linked", "worktree"],
  ])("a link out of .saga: %s", async (_, link, target) => {
    const folder = newFolder();
    folder.write(".saga/.gitignore", "");
    folder.write(".saga/stories/s/story.json", aStory("s"));
    const outside = newFolder("outside");
    outside.write("config.toml", "");
    outside.write("s/story.json", aStory("linked"));
    outside.write("s/task.json", aTask("task"));
    outside.write("s/epic.json", anEpic("linked", []));
    outside.write("s/journal.md", "# Journal\n");
    outside.write("worktree/.git", "gitdir: elsewhere\n");
    outside.write("worktree/.saga/stories/linked/story.json", aStory("linked"));
    folder.link(link, join(outside.path, target));
    const said = await complaint(folder);
    expect(said).toContain(`${link}: error: `);
    expect(said).toContain("link");
  });

  it("a link that leads to itself", async () => {
    const project = withStory();
    project.link(".saga/stories/s/t.json", "t.json");
    project.link(".saga/stories/loop", "loop");
    const said = await complaint(project);
    expect(said).toContain(".saga/stories/s/t.json: error: ");
    expect(said).toContain(".saga/stories/loop: error: ");
  });

  it("a link that leads nowhere", async () => {
    const project = withStory();
    project.link(".saga/stories/s/t.json", "nowhere.json");
    expect(await complaint(project)).toContain(".saga/stories/s/t.json: error: ");
  });

  it("no fault in a link that stays inside .saga", async () => {
    const project = withStory();
    project.write(".saga/shared.json", aTask("t"));
    project.link(".saga/stories/s/t.json", "../../shared.json");
    expect((await project.saga("validate")).stdout).toBe("Valid: 0 epics, 1 story, 1 task.\n");
  });

  it.each([".saga/stories/s/t.json", ".saga/stories/s/journal.md", ".saga/epics/e/epic.json"])(
    "a folder in the place of a file: %s",
    async (file) => {
      const project = withStory();
      mkdirSync(join(project.path, file), { recursive: true });
      expect(await complaint(project)).toContain(`${file}: error: `);
    },
  );

  it("a folder in the place of the settings", async () => {
    const folder = newFolder();
    mkdirSync(join(folder.path, ".saga/config.toml"), { recursive: true });
    expect(await complaint(folder)).toContain(".saga/config.toml: error: ");
  });

  it.each(["stories", "epics", "archive", "worktrees"])(
    "a file in the place of a folder: %s",
    async (name) => {
      const project = newProject();
      project.write(`.saga/${name}`, "in the way\n");
      const { exitCode, stdout, stderr } = await project.saga("validate");
      expect(exitCode).toBe(1);
      expect(stdout + stderr).toContain(`.saga/${name}`);
    },
  );

  it("file names with terminal escapes, and shows them harmlessly", async () => {
    const project = withStory();
    const name = "t\u001b[31m\u009b31m\r\n\u202e";
    project.write(`.saga/stories/s/${name}.json`, "{");
    project.write(`.saga/stories/${name}/story.json`, "{");
    expect(await complaint(project)).toContain("2 errors in");
  });
});

describe("saga validate as a command line", () => {
  it("takes no words", async () => {
    expect((await misused(newProject(), "validate", "s")).message).toContain("Too many");
  });

  it("says how to begin where there is no project", async () => {
    const { code, text } = await refused(newFolder(), "validate");
    expect(code).toBe("no-project");
    expect(text).toContain("saga init");
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
