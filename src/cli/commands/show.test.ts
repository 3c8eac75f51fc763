import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  anEpic,
  aStory,
  aTask,
  newFolder,
  newProject,
  ODD_NAMES,
  type Project,
  snapshot,
} from "../../../test/support/project.ts";
import { isHarmless, misused, refused } from "../../../test/support/refused.ts";
import { newWorktree } from "../../../test/support/worktree.ts";
import { openStore } from "../../store/file-store.ts";

function withStory(fields: Record<string, unknown> = {}): Project {
  const project = newProject();
  project.write(".saga/stories/s/story.json", aStory("s", fields));
  return project;
}

describe("saga show <story>", () => {
  it("shows everything that a worker is told, and where the files are", async () => {
    const project = withStory({
      description: "First line.\nSecond line.",
      guidance: "Small steps.",
      doneWhen: "It works.",
      avoid: "Shortcuts.",
      checks: ["npm test", "npm run lint"],
      writeFiles: ["src/**"],
      labels: ["web", "auth"],
      priority: 0,
      branch: "story/s",
      pr: "https://example.org/pr/1",
    });
    project.write(".saga/stories/s/second.json", aTask("second", { blockedBy: ["third"] }));
    project.write(".saga/stories/s/third.json", aTask("third"));
    const { exitCode, stdout, stderr } = await project.saga("show", "s");
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout).toBe(
      [
        "○ Title of s  ready",
        "  Story         s",
        "  Priority      0",
        "  Labels        web, auth",
        "  Branch        story/s",
        "  Pull request  https://example.org/pr/1",
        `  Files         ${join(project.path, ".saga/stories/s")}`,
        "",
        "Description",
        "  First line.",
        "  Second line.",
        "",
        "Guidance",
        "  Small steps.",
        "",
        "Done when",
        "  It works.",
        "",
        "Avoid",
        "  Shortcuts.",
        "",
        "Checks",
        "  npm test",
        "  npm run lint",
        "",
        "Writes only",
        "  src/**",
        "",
        "2 tasks",
        "  ○ third   ready        Do third",
        "  ◌ second  waiting      Do second  (after third)",
        "",
      ].join("\n"),
    );
  });

  it("leaves out what is not there", async () => {
    const { stdout } = await withStory().saga("show", "s");
    expect(stdout).not.toMatch(/Guidance|Done when|Avoid|Checks|Labels|Branch|Epic/);
    expect(stdout).toContain("No tasks yet\n");
  });

  it("gives programs the story, its tasks with their states, and unknown fields too", async () => {
    const project = withStory({ ticket: { id: 7 } });
    project.write(".saga/stories/s/t.json", aTask("t", { ours: true }));
    const { exitCode, json } = await project.saga("show", "s", "--json");
    expect(exitCode).toBe(0);
    expect(json()).toMatchObject({
      id: "s",
      title: "Title of s",
      state: "ready",
      status: "pending",
      copy: "project",
      folder: join(project.path, ".saga/stories/s"),
      tasks: { total: 1, completed: 0 },
      story: { description: "What s is about.", ticket: { id: 7 } },
      taskList: [{ id: "t", subject: "Do t", state: "ready", ours: true }],
    });
  });

  it("tells its epic and what it waits for", async () => {
    const project = withStory();
    project.write(".saga/stories/first/story.json", aStory("first"));
    const children = [{ id: "first" }, { id: "s", blockedBy: ["first"] }];
    project.write(".saga/epics/e/epic.json", anEpic("e", children));
    const { stdout } = await project.saga("show", "s");
    expect(stdout).toContain("  Epic          e\n");
    expect(stdout).toContain("  Waits for     first\n");
    expect(stdout).toMatch(/^◌ Title of s {2}waiting\n/);
  });

  it("agrees with saga list about the state", async () => {
    const project = withStory();
    project.write(".saga/stories/first/story.json", aStory("first", { status: "completed" }));
    const children = [{ id: "first" }, { id: "s", blockedBy: ["first"] }];
    project.write(".saga/epics/e/epic.json", anEpic("e", children));
    project.write(".saga/stories/s/t.json", aTask("t"));
    const { json } = await project.saga("show", "s", "--json");
    const { json: list } = await project.saga("list", "--json");
    const [, listed] = (list() as { stories: { state: string }[] }).stories;
    expect(listed?.state).toBe("ready");
    expect(json()["state"]).toBe(listed?.state);
  });

  it("puts open blockers where they are seen", async () => {
    const project = withStory();
    await project.saga("journal", "s", "--blocker", "Which database?", "--body", "This or that?");
    const { stdout } = await project.saga("show", "s");
    expect(stdout).toMatch(/^■ Title of s {2}blocked\n/);
    expect(stdout).toContain("Open blocker b1\n  Which database?\n  This or that?\n");
  });

  it("names the worker that has it", async () => {
    const project = withStory();
    project.write(".saga/stories/s/t.json", aTask("t", { status: "in_progress" }));
    const { lease } = await openStore(project.path).leases.acquire("story.s", {
      owner: "worker 7",
      ttlMs: 60_000,
    });
    onTestFinished(() => lease?.release());
    const { stdout } = await project.saga("show", "s");
    expect(stdout).toMatch(/^◐ Title of s {2}running\n/);
    expect(stdout).toContain("  Worker        worker 7\n");
    expect(stdout).toContain("  ◐ t  running");
  });

  it("shows an archived story as well, and says that it is one", async () => {
    const project = newProject();
    project.write(".saga/archive/old/story.json", aStory("old", { status: "completed" }));
    const { exitCode, stdout } = await project.saga("show", "old");
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^● Title of old {2}completed\n/);
    expect(stdout).toContain(`${join(project.path, ".saga/archive/old")} (archive)\n`);
  });

  it.each([
    ["today's layout", "auth--login", "auth--login"],
    ["the older stories/<id>", "stories/auth--login", "auth--login"],
    ["the older <epic>/<story>", "auth/login", "auth--login"],
    ["the older <epic>/<story> of an epic with two levels", "app--auth/login", "app--auth--login"],
  ])("shows the copy in its worktree while there is one: %s", async (_, place, id) => {
    const project = newProject();
    project.write(`.saga/stories/${id}/story.json`, aStory(id, { title: "Old" }));
    const live = newWorktree(project, place, aStory(id, { title: "Live" }));
    project.write(`${live}/t.json`, aTask("t"));
    const { stdout } = await project.saga("show", id);
    expect(stdout).toMatch(/^○ Live {2}ready\n/);
    expect(stdout).toContain(`${join(project.path, live)} (worktree)\n`);
    const { json } = await project.saga("show", id, "--json");
    expect(json()).toMatchObject({ copy: "worktree", story: { title: "Live" } });
  });

  it("changes nothing", async () => {
    const project = withStory();
    const before = snapshot(project.path);
    await project.saga("show", "s");
    expect(snapshot(project.path)).toBe(before);
  });
});

describe("saga show <epic>", () => {
  function withEpic(): Project {
    const project = newProject();
    const children = [
      { id: "e--one" },
      { id: "e--two", blockedBy: ["e--one"] },
      { id: "e--old" },
      { id: "e--lost" },
    ];
    project.write(".saga/epics/e/epic.json", anEpic("e", children, { delivery: "epic-branch" }));
    project.write(".saga/stories/e--one/story.json", aStory("e--one"));
    project.write(".saga/stories/e--two/story.json", aStory("e--two"));
    project.write(".saga/archive/e--old/story.json", aStory("e--old", { status: "completed" }));
    return project;
  }

  it("shows its stories, also those that are archived or missing", async () => {
    const { exitCode, stdout } = await withEpic().saga("show", "e");
    expect(exitCode).toBe(0);
    expect(stdout).toBe(
      [
        "Title of e  in progress",
        "  Epic          e",
        "  Delivery      epic-branch",
        "",
        "Description",
        "  What e is about.",
        "",
        "4 stories",
        "  · e--one   pending      Title of e--one",
        "  ◌ e--two   waiting      Title of e--two  (after e--one)",
        "  ● e--old   completed",
        "  ? e--lost  not found",
        "",
      ].join("\n"),
    );
  });

  it("gives programs the epic and its stories", async () => {
    const { exitCode, json } = await withEpic().saga("show", "e", "--json");
    expect(exitCode).toBe(0);
    expect(json()).toMatchObject({
      id: "e",
      status: "in_progress",
      delivery: "epic-branch",
      stories: [
        { id: "e--one", state: "pending" },
        { id: "e--two", state: "waiting", waitsFor: ["e--one"] },
      ],
    });
  });

  it("shows an epic without stories", async () => {
    const project = newProject();
    project.write(".saga/epics/e/epic.json", anEpic("e", []));
    const { exitCode, stdout } = await project.saga("show", "e");
    expect(exitCode).toBe(0);
    expect(stdout).toContain("0 stories\n");
  });
});

describe("saga show <story>/<task>", () => {
  it("shows one task in full", async () => {
    const project = withStory();
    project.write(".saga/stories/s/first.json", aTask("first"));
    project.write(
      ".saga/stories/s/t.json",
      aTask("t", {
        blockedBy: ["first"],
        guidance: "Slowly.",
        doneWhen: "It is done.",
        checks: ["true"],
        writeFiles: ["a.txt"],
        estimatedLines: 20,
      }),
    );
    const { exitCode, stdout } = await project.saga("show", "s/t");
    expect(exitCode).toBe(0);
    expect(stdout).toBe(
      [
        "◌ Do t  waiting",
        "  Task          t",
        "  Story         s",
        "  After         first",
        "  Lines         20",
        "",
        "Description",
        "  How to do t.",
        "",
        "Guidance",
        "  Slowly.",
        "",
        "Done when",
        "  It is done.",
        "",
        "Checks",
        "  true",
        "",
        "Writes",
        "  a.txt",
        "",
      ].join("\n"),
    );
  });

  it("gives programs the task with its state", async () => {
    const project = withStory();
    project.write(".saga/stories/s/t.json", aTask("t", { ours: 1 }));
    const { json } = await project.saga("show", "s/t", "--json");
    expect(json()).toMatchObject({ id: "t", story: "s", state: "ready", ours: 1 });
  });

  it("names the tasks that there are when it is none of them", async () => {
    const project = withStory();
    project.write(".saga/stories/s/t.json", aTask("t"));
    const { code, text } = await refused(project, "show", "s/nope");
    expect(code).toBe("not-found");
    expect(text).toContain("The story s has no task nope.");
    expect(text).toContain("Its tasks: t.");
  });

  it.each(["s/", "s/t/more", "/t", "s/../s/t", "../../etc/passwd"])(
    "is not guessed at: %s",
    async (id) => {
      const project = withStory();
      project.write(".saga/stories/s/t.json", aTask("t"));
      const { message } = await refused(project, "show", id);
      expect(message).not.toContain("no task .");
      expect(message).toContain(id);
    },
  );
});

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
      ".saga/stories/bad/story.json:3:3: error: `title` must be text",
    ],
    [
      "an id that is not the folder's",
      JSON.stringify(aStory("other"), undefined, 2),
      '.saga/stories/bad/story.json:2: error: The id is "other", but the folder is called "bad".',
    ],
  ])("%s, with the file and the line", async (_, text, sentence) => {
    const project = newProject();
    project.write(".saga/stories/bad/story.json", text);
    const said = await refused(project, "show", "bad");
    expect(said.code).toBe("bad-file");
    expect(said.text).toContain(sentence);
    expect(said.text).toContain("saga validate");
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

  it("to show nothing, or two things", async () => {
    expect((await misused(newProject(), "show")).message).toContain("'story-or-epic'");
    expect((await misused(newProject(), "show", "a", "b")).message).toContain("Too many");
  });

  it("to begin where there is no project", async () => {
    const { code, text } = await refused(newFolder(), "show", "s");
    expect(code).toBe("no-project");
    expect(text).toContain("saga init");
  });
});

describe("saga show as a command line", () => {
  it("has examples in its help", async () => {
    const { exitCode, stdout } = await newProject().saga("show", "--help");
    expect(exitCode).toBe(0);
    expect(stdout).toContain("Usage: saga show");
    expect(stdout).toMatch(/Examples:\n {2}saga show /);
  });

  it.each(ODD_NAMES)("works in a folder with %s in its name", async (_, name) => {
    const project = newProject(name);
    project.write(".saga/stories/s/story.json", aStory("s"));
    const { exitCode, stdout } = await project.saga("show", "s");
    expect(exitCode).toBe(0);
    expect(stdout.match(/^ {2}Files .*\.saga\/stories\/s$/m)).not.toBeNull();
    expect(isHarmless(stdout)).toBe(true);
    const { json } = await project.saga("show", "s", "--json");
    expect(json()["folder"]).toBe(join(project.path, ".saga/stories/s"));
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
