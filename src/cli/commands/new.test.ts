import { chmodSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  anEpic,
  aStory,
  aTask,
  newFolder,
  newProject,
  ODD_NAMES,
  snapshot,
} from "../../../test/support/project.ts";
import { misused, refused, wholeDisk } from "../../../test/support/refused.ts";
import { newWorktree } from "../../../test/support/worktree.ts";
import { openStore } from "../../store/file-store.ts";

describe("saga new epic", () => {
  it("writes the epic's file and says so", async () => {
    const project = newProject();
    const { exitCode, stdout, stderr } = await project.saga(
      "new",
      "epic",
      "user-auth",
      "--title",
      "User authentication",
      "--description",
      "Let people sign in.",
    );
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout).toBe("create  epic   user-auth\n");
    expect(project.json(".saga/epics/user-auth/epic.json")).toEqual({
      id: "user-auth",
      title: "User authentication",
      description: "Let people sign in.",
      status: "pending",
      children: [],
    });
  });

  it("tells programs what was written", async () => {
    const { exitCode, json } = await newProject().saga("new", "epic", "e", "-d", "x", "--json");
    expect(exitCode).toBe(0);
    expect(json()).toEqual({
      isDryRun: false,
      files: [{ kind: "epic", owner: "e", id: "e", action: "create" }],
    });
  });

  it("takes the title from the id when none is given", async () => {
    const project = newProject();
    await project.saga("new", "epic", "user-auth", "-d", "x");
    expect(project.json(".saga/epics/user-auth/epic.json")["title"]).toBe("User auth");
  });

  it("reads the description from standard input when it is -", async () => {
    const project = newProject();
    await project.sagaWithInput("Line one.\nLine two.\n", "new", "epic", "e", "-d", "-");
    expect(project.json(".saga/epics/e/epic.json")["description"]).toBe("Line one.\nLine two.");
  });

  it("can be repeated", async () => {
    const project = newProject();
    await project.saga("new", "epic", "e", "-d", "x");
    const before = snapshot(project.path);
    const { exitCode, stdout } = await project.saga("new", "epic", "e", "-d", "x");
    expect(exitCode).toBe(0);
    expect(stdout).toBe("Everything is there already; nothing was changed.\n");
    expect(snapshot(project.path)).toBe(before);
  });

  it("can be repeated after stories have joined it, and keeps them", async () => {
    const project = newProject();
    await project.saga("new", "epic", "e", "-d", "x");
    await project.saga("new", "story", "one", "--epic", "e", "-d", "x");
    const before = snapshot(project.path);
    const { exitCode } = await project.saga("new", "epic", "e", "-d", "x");
    expect(exitCode).toBe(0);
    expect(snapshot(project.path)).toBe(before);
  });

  it("does not change an epic that is there and differs", async () => {
    const project = newProject();
    await project.saga("new", "epic", "e", "-d", "x");
    const { text } = await refused(project, "new", "epic", "e", "-d", "other");
    expect(text).toContain("The epic e exists already, and differs from this.");
    expect(text).toContain("saga stage --update");
  });
});

describe("saga new story", () => {
  it("writes what it was told and nothing else", async () => {
    const project = newProject();
    const { exitCode, stdout } = await project.saga("new", "story", "add-login", "-d", "A page.");
    expect(exitCode).toBe(0);
    expect(stdout).toBe("create  story  add-login\n");
    expect(project.json(".saga/stories/add-login/story.json")).toEqual({
      id: "add-login",
      title: "Add login",
      description: "A page.",
      status: "pending",
    });
  });

  it("has an option for every field that people write", async () => {
    const project = newProject();
    const { exitCode } = await project.saga(
      "new",
      "story",
      "add-login",
      "-t",
      "Add a login page",
      "-d",
      "A page.",
      "--guidance",
      "Small steps.",
      "--done-when",
      "One can log in.",
      "--avoid",
      "Cookies.",
      "--label",
      "web",
      "auth",
      "--priority",
      "0",
      "--check",
      "npm test",
      "npm run lint",
      "--write",
      "src/**",
      "test/**",
      "--needs-testing",
      "--needs-review",
    );
    expect(exitCode).toBe(0);
    expect(project.json(".saga/stories/add-login/story.json")).toEqual({
      id: "add-login",
      title: "Add a login page",
      description: "A page.",
      guidance: "Small steps.",
      doneWhen: "One can log in.",
      avoid: "Cookies.",
      status: "pending",
      labels: ["web", "auth"],
      priority: 0,
      checks: ["npm test", "npm run lint"],
      writeFiles: ["src/**", "test/**"],
      needsTesting: true,
      needsReview: true,
    });
  });

  it("puts the epic's id before its own, and adds it to the epic", async () => {
    const project = newProject();
    await project.saga("new", "epic", "user-auth", "-d", "x");
    const { stdout } = await project.saga(
      "new",
      "story",
      "setup-db",
      "--epic",
      "user-auth",
      "-d",
      "x",
    );
    expect(stdout).toBe("create  story  user-auth--setup-db\nupdate  epic   user-auth\n");
    const story = project.json(".saga/stories/user-auth--setup-db/story.json");
    expect(story).toMatchObject({ epic: "user-auth", title: "Setup db" });
    expect(project.json(".saga/epics/user-auth/epic.json")["children"]).toEqual([
      { id: "user-auth--setup-db", blockedBy: [] },
    ]);
  });

  it("takes the full id in an epic as well", async () => {
    const project = newProject();
    await project.saga("new", "epic", "user-auth", "-d", "x");
    const { stdout } = await project.saga(
      "new",
      "story",
      "user-auth--setup-db",
      "--epic",
      "user-auth",
      "-d",
      "x",
    );
    expect(stdout).toContain("create  story  user-auth--setup-db\n");
  });

  it("keeps the order in the epic", async () => {
    const project = newProject();
    await project.saga("new", "epic", "e", "-d", "x");
    await project.saga("new", "story", "one", "--epic", "e", "-d", "x");
    const { exitCode } = await project.saga(
      "new",
      "story",
      "two",
      "--epic",
      "e",
      "-d",
      "x",
      "--blocked-by",
      "e--one",
    );
    expect(exitCode).toBe(0);
    expect(project.json(".saga/epics/e/epic.json")["children"]).toEqual([
      { id: "e--one", blockedBy: [] },
      { id: "e--two", blockedBy: ["e--one"] },
    ]);
  });

  it("can be repeated, also after the story has begun", async () => {
    const project = newProject();
    const words = ["new", "story", "add-login", "-d", "A page."];
    await project.saga(...words);
    const file = ".saga/stories/add-login/story.json";
    project.write(file, { ...project.json(file), status: "in_progress", branch: "story/a" });
    const before = snapshot(project.path);
    const { exitCode, stdout } = await project.saga(...words);
    expect(exitCode).toBe(0);
    expect(stdout).toBe("Everything is there already; nothing was changed.\n");
    expect(snapshot(project.path)).toBe(before);
  });

  it("does not care about other files that are broken", async () => {
    const project = newProject();
    project.write(".saga/stories/broken/story.json", "{");
    expect((await project.saga("new", "story", "fine", "-d", "x")).exitCode).toBe(0);
  });

  it("does not change a story that is there and differs", async () => {
    const project = newProject();
    await project.saga("new", "story", "add-login", "-d", "A page.");
    const { text } = await refused(project, "new", "story", "add-login", "-d", "Two pages.");
    expect(text).toContain("The story add-login exists already, and differs from this.");
  });

  it("does not take the id of an archived story", async () => {
    const project = newProject();
    project.write(".saga/archive/old/story.json", aStory("old", { status: "completed" }));
    const { text } = await refused(project, "new", "story", "old", "-d", "x");
    expect(text).toContain("The story old is in the archive.");
    expect(text).toContain("Give it another id");
  });
});

describe("saga new task", () => {
  it("writes the task's file into its story", async () => {
    const project = newProject();
    await project.saga("new", "story", "add-login", "-d", "x");
    const { exitCode, stdout } = await project.saga(
      "new",
      "task",
      "add-login",
      "write-form",
      "-d",
      "A form.",
    );
    expect(exitCode).toBe(0);
    expect(stdout).toBe("create  task   add-login/write-form\n");
    expect(project.json(".saga/stories/add-login/write-form.json")).toEqual({
      id: "write-form",
      subject: "Write form",
      description: "A form.",
      status: "pending",
      blockedBy: [],
    });
  });

  it("has an option for every field that people write", async () => {
    const project = newProject();
    project.write(".saga/stories/s/story.json", aStory("s"));
    project.write(".saga/stories/s/first.json", aTask("first"));
    const { exitCode } = await project.saga(
      "new",
      "task",
      "s",
      "second",
      "-s",
      "Do it",
      "-d",
      "So.",
      "--active-form",
      "Doing it",
      "--blocked-by",
      "first",
      "--guidance",
      "Slowly.",
      "--done-when",
      "It is done.",
      "--check",
      "true",
      "--write",
      "a.txt",
      "--lines",
      "20",
    );
    expect(exitCode).toBe(0);
    expect(project.json(".saga/stories/s/second.json")).toEqual({
      id: "second",
      subject: "Do it",
      description: "So.",
      activeForm: "Doing it",
      status: "pending",
      blockedBy: ["first"],
      guidance: "Slowly.",
      doneWhen: "It is done.",
      checks: ["true"],
      writeFiles: ["a.txt"],
      estimatedLines: 20,
    });
  });

  it("leaves the story's own file alone", async () => {
    const project = newProject();
    const text = '{"id":"s","title":"S","description":"x","ours":{"kept":true}}';
    project.write(".saga/stories/s/story.json", text);
    expect((await project.saga("new", "task", "s", "t", "-d", "x")).exitCode).toBe(0);
    expect(project.read(".saga/stories/s/story.json")).toBe(text);
  });

  it("can be repeated, also after the task is completed", async () => {
    const project = newProject();
    project.write(".saga/stories/s/story.json", aStory("s"));
    await project.saga("new", "task", "s", "t", "-d", "x");
    const file = ".saga/stories/s/t.json";
    project.write(file, { ...project.json(file), status: "completed" });
    const before = snapshot(project.path);
    const { exitCode, stdout } = await project.saga("new", "task", "s", "t", "-d", "x");
    expect(exitCode).toBe(0);
    expect(stdout).toBe("Everything is there already; nothing was changed.\n");
    expect(snapshot(project.path)).toBe(before);
  });

  it("goes into the worktree's copy while there is one", async () => {
    const project = newProject();
    project.write(".saga/stories/s/story.json", aStory("s"));
    const live = newWorktree(project, "s", aStory("s"));
    expect((await project.saga("new", "task", "s", "t", "-d", "x")).exitCode).toBe(0);
    expect(project.json(`${live}/t.json`)["id"]).toBe("t");
    expect(() => project.read(".saga/stories/s/t.json")).toThrow("ENOENT");
  });

  it("does not change a task that is there and differs", async () => {
    const project = newProject();
    project.write(".saga/stories/s/story.json", aStory("s"));
    project.write(".saga/stories/s/t.json", aTask("t"));
    const { text } = await refused(project, "new", "task", "s", "t", "-d", "Other.");
    expect(text).toContain("The task t exists already, and differs from this.");
  });

  it("does not change a story that is being worked on", async () => {
    const project = newProject();
    project.write(".saga/stories/s/story.json", aStory("s"));
    const { lease } = await openStore(project.path).leases.acquire("story.s", {
      owner: "a worker",
      ttlMs: 60_000,
    });
    onTestFinished(() => lease?.release());
    const { text } = await refused(project, "new", "task", "s", "t", "-d", "x");
    expect(text).toContain("The story s is being worked on by a worker.");
    expect(text).toContain("Wait until it has ended, or stop it first.");
  });

  it("says of an archived story only that it is archived", async () => {
    const project = newProject();
    project.write(".saga/archive/old/story.json", aStory("old", { status: "completed" }));
    const { problems, text } = await refused(project, "new", "task", "old", "t", "-d", "x");
    expect(text).toContain("The story old is in the archive.");
    expect(problems.length).toBeLessThan(2);
  });
});

describe("saga new as a command line", () => {
  it.each([[], ["epic"], ["story"], ["task"]])(
    "has examples in its help: new %s",
    async (...kind) => {
      const { exitCode, stdout } = await newProject().saga("new", ...kind, "--help");
      expect(exitCode).toBe(0);
      expect(stdout).toContain(`Usage: ${["saga", "new", ...kind].join(" ")}`);
      expect(stdout).toMatch(/Examples:\n {2}saga new /);
    },
  );

  it("asks what to create when it is not told", async () => {
    const { message, text } = await misused(newProject(), "new");
    expect(message).not.toContain("outputHelp");
    expect(text).toMatch(/epic.*story.*task/s);
  });

  it("names a kind that it does not know", async () => {
    const { message } = await misused(newProject(), "new", "saga");
    expect(message).toContain("'saga'");
  });

  it.each([["epic"], ["story"], ["task", "s"]])("wants an id: new %s", async (...words) => {
    const { message } = await misused(newProject(), "new", ...words, "-d", "x");
    expect(message).toContain("Missing required argument 'id'");
  });

  it.each([["epic"], ["story"], ["task", "s"]])("wants a description: new %s", async (...words) => {
    const { message } = await misused(newProject(), "new", ...words, "x");
    expect(message).toContain("--description");
  });

  it("points to the help of the very command that was used", async () => {
    const { hint } = await misused(newProject(), "new", "story", "x");
    expect(hint).toContain("`saga new story --help`");
  });

  it.each([[""], ["  \n"], ["-"]])("does not take %j for a description", async (description) => {
    const { message } = await misused(newProject(), "new", "story", "x", "-d", description);
    expect(message).toBe("The description is empty.");
  });

  it.each([
    ["--priority", "high"],
    ["--priority", "-1"],
    ["--priority", "1.5"],
  ])("wants a whole number: %s %s", async (option, value) => {
    const { message } = await misused(newProject(), "new", "story", "x", "-d", "x", option, value);
    expect(message).toContain(option);
  });

  it("says how to begin where there is no project", async () => {
    const { code, text } = await refused(newFolder(), "new", "story", "x", "-d", "x");
    expect(code).toBe("no-project");
    expect(text).toContain("saga init");
  });
});

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

  it("a task for a story that does not exist", async () => {
    const { code, text } = await refused(newProject(), "new", "task", "nope", "t", "-d", "x");
    expect(code).toBe("not-found");
    expect(text).toContain("There is no story nope.");
    expect(text).toContain("saga list");
  });

  it("a story for an epic that does not exist", async () => {
    const { code, text } = await refused(
      newProject(),
      "new",
      "story",
      "s",
      "--epic",
      "nope",
      "-d",
      "x",
    );
    expect(code).toBe("not-found");
    expect(text).toContain("There is no epic nope.");
  });

  it("a task that waits for one that does not exist", async () => {
    const project = newProject();
    project.write(".saga/stories/s/story.json", aStory("s"));
    const { text } = await refused(
      project,
      "new",
      "task",
      "s",
      "t",
      "-d",
      "x",
      "--blocked-by",
      "nope",
    );
    expect(text).toContain("Task t waits for nope, which is not a task of this story.");
  });

  it("a task that waits for itself", async () => {
    const project = newProject();
    project.write(".saga/stories/s/story.json", aStory("s"));
    const { text } = await refused(
      project,
      "new",
      "task",
      "s",
      "t",
      "-d",
      "x",
      "--blocked-by",
      "t",
    );
    expect(text).toContain("These tasks wait for each other: t → t.");
  });

  it("a story that waits for one outside its epic", async () => {
    const project = newProject();
    project.write(".saga/epics/e/epic.json", anEpic("e", []));
    project.write(".saga/stories/other/story.json", aStory("other"));
    const { text } = await refused(
      project,
      "new",
      "story",
      "s",
      "--epic",
      "e",
      "-d",
      "x",
      "--blocked-by",
      "other",
    );
    expect(text).toContain("Story e--s waits for other, which is not a story of the epic e.");
  });

  it("an order for a story that is in no epic: there is nothing to keep it in", async () => {
    const project = newProject();
    project.write(".saga/stories/first/story.json", aStory("first"));
    const { text } = await refused(
      project,
      "new",
      "story",
      "second",
      "-d",
      "x",
      "--blocked-by",
      "first",
    );
    expect(text).toContain("epic");
  });

  it("a task that is too large, with the advice to split it", async () => {
    const project = newProject();
    project.write(".saga/stories/s/story.json", aStory("s"));
    const { text } = await refused(project, "new", "task", "s", "t", "-d", "x", "--lines", "900");
    expect(text).toContain("Task t declares 900 changed lines, and the ceiling is 200.");
    expect(text).toContain("Split it");
  });

  it("a task for a completed story", async () => {
    const project = newProject();
    project.write(".saga/stories/s/story.json", aStory("s", { status: "completed" }));
    const { text } = await refused(project, "new", "task", "s", "t", "-d", "x");
    expect(text).toContain("Story s is completed");
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
    const { code, problems } = await refused(
      project,
      "new",
      "story",
      "s",
      "-d",
      "x",
      option,
      value,
    );
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
    const said = await refused(project, "new", "task", "s", "t", "-d", "x", option, value);
    expect(said.code).toBe("bad-plan");
  });

  it("anything while the settings are wrong, with the line", async () => {
    const project = newProject();
    project.write(".saga/config.toml", "[size]\nmax_files = 'many'\n");
    const { code, text } = await refused(project, "new", "story", "s", "-d", "x");
    expect(code).toBe("bad-setting");
    expect(text).toContain(".saga/config.toml:2: error: `size.max_files` must be a number");
  });

  it("a task for a story whose files are broken, with the file and the line", async () => {
    const project = newProject();
    project.write(".saga/stories/s/story.json", '{\n  "id": "s",\n  "title": }\n');
    const { code, text } = await refused(project, "new", "task", "s", "t", "-d", "x");
    expect(code).toBe("bad-file");
    expect(text).toContain(".saga/stories/s/story.json:3:12: error: This is not valid JSON");
  });

  it("a story for an epic whose file is broken", async () => {
    const project = newProject();
    project.write(".saga/epics/e/epic.json", "{");
    const { code, text } = await refused(project, "new", "story", "s", "--epic", "e", "-d", "x");
    expect(code).toBe("bad-file");
    expect(text).toContain(".saga/epics/e/epic.json");
  });

  it("with the file that it would have written", async () => {
    const project = newProject();
    const { problems } = await refused(project, "new", "story", "s", "-d", "x", "--label", "a b");
    expect(problems.map(({ file }) => file)).toEqual([
      join(project.path, ".saga/stories/s/story.json"),
    ]);
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

describe("saga new in a folder with an odd name", () => {
  it.each(ODD_NAMES)("works with %s", async (_, name) => {
    const project = newProject(name);
    for (const words of [
      ["epic", "e"],
      ["story", "s", "--epic", "e"],
      ["task", "e--s", "t"],
    ]) {
      const spoken = await project.saga("new", ...words, "-d", "x");
      expect(spoken.stderr).toBe("");
      expect(spoken.exitCode).toBe(0);
    }
    expect((await project.saga("validate")).stdout).toBe("Valid: 1 epic, 1 story, 1 task.\n");
    expect(existsSync(join(project.path, "pwned"))).toBe(false);
  });
});
