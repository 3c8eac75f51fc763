import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { anEpic, aStory, aTask, newFolder, newProject } from "../../../../test/support/project.ts";
import { complaint, withStory } from "../../../../test/support/validated.ts";

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
      "t.json:7:3: error: Task t declares 201 changed lines; at most 200 are allowed.",
    ],
  ])("%s", async (_, tasks, sentence) => {
    expect(await complaint(withStory({}, ...tasks))).toContain(`.saga/stories/s/${sentence}`);
  });

  it("a task with more files than the settings allow", async () => {
    const project = withStory({}, aTask("t", { writeFiles: ["a", "b"] }));
    project.write(".saga/config.toml", "[size]\nmax_files = 1\n");
    expect(await complaint(project)).toContain(
      "Task t declares 2 files to write; at most 1 are allowed.",
    );
  });

  it("a completed story with open tasks", async () => {
    const output = await complaint(withStory({ status: "completed" }, aTask("t")));
    expect(output).toContain("story.json:5:3: error: Story s is completed, but 1 of its 1 tasks");
  });

  it.each([
    [
      "a child that is not there",
      [{ id: "s" }, { id: "nope" }],
      "epic.json:10:7: error: Epic e lists the story nope, which does not exist.",
    ],
    [
      "a duplicate child",
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
    const output = await complaint(withStory({ epic: "nope" }));
    expect(output).toContain(
      "story.json:5:3: error: Story s belongs to the epic nope, which does not exist.",
    );
    expect(output).toContain("saga new epic nope");
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
      "The story s is both in the archive and in stories.",
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
    const output = await complaint(folder);
    expect(output).toContain(`${link}: error: `);
    expect(output).toContain("link");
  });

  it("a link that leads to itself", async () => {
    const project = withStory();
    project.link(".saga/stories/s/t.json", "t.json");
    project.link(".saga/stories/loop", "loop");
    const output = await complaint(project);
    expect(output).toContain(".saga/stories/s/t.json: error: ");
    expect(output).toContain(".saga/stories/loop: error: ");
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
