import { describe, expect, it } from "vitest";
import { aStory, aTask, newProject, snapshot } from "../../../../test/support/project.ts";
import { refused } from "../../../../test/support/refused.ts";
import { workedOn } from "../../../../test/support/worked-on.ts";
import { newWorktree } from "../../../../test/support/worktree.ts";

describe("saga new task", () => {
  it("writes the task's file into its story", async () => {
    const project = newProject();
    await project.saga("new", "story", "add-login", "-d", "x");
    const { exitCode, stdout } = await project.saga("new task add-login write-form -d", "A form.");
    expect(exitCode).toBe(0);
    expect(stdout).toBe("created  task   add-login/write-form\n");
    expect(project.json(".saga/stories/add-login/write-form.json")).toEqual({
      id: "write-form",
      subject: "Write form",
      description: "A form.",
      status: "pending",
      blockedBy: [],
      order: 1,
    });
  });

  it("has an option for every field that people write", async () => {
    const project = newProject();
    project.write(".saga/stories/s/story.json", aStory("s"));
    project.write(".saga/stories/s/first.json", aTask("first"));
    const { exitCode } = await project.saga(
      "new task s second -s",
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
      order: 1,
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
    expect(stdout).toBe("Everything exists already; nothing was changed.\n");
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

  it("does not change an existing task that differs", async () => {
    const project = newProject();
    project.write(".saga/stories/s/story.json", aStory("s"));
    project.write(".saga/stories/s/t.json", aTask("t"));
    const { text } = await refused(project, "new", "task", "s", "t", "-d", "Other.");
    expect(text).toContain("The task t already exists with other content.");
  });

  it("does not change a story that is being worked on", async () => {
    const project = newProject();
    project.write(".saga/stories/s/story.json", aStory("s"));
    await workedOn(project, "s");
    const { text } = await refused(project, "new", "task", "s", "t", "-d", "x");
    expect(text).toContain("The story s is running (a worker).");
    expect(text).toContain("Wait for it to end, or stop it: `saga stop s`.");
  });

  it("says of an archived story only that it is archived", async () => {
    const project = newProject();
    project.write(".saga/archive/old/story.json", aStory("old", { status: "completed" }));
    const { problems, text } = await refused(project, "new", "task", "old", "t", "-d", "x");
    expect(text).toContain("The story old is in the archive.");
    expect(problems.length).toBeLessThan(2);
  });
});
