import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { anEpic, aStory, aTask, newFolder, newProject } from "../../../../test/support/project.ts";
import { refused, refusedWithInput, wholeDisk } from "../../../../test/support/refused.ts";

describe("saga stage writes all or nothing: it refuses", () => {
  const good = aStory("good");

  it("broken JSON, with the line", async () => {
    const project = newProject();
    const file = project.write("plan.json", '{\n  "stories": [,]\n}\n');
    const { code, problems, text } = await refused(project, "stage", "plan.json");
    expect(code).toBe("bad-plan");
    expect(problems).toMatchObject([{ file, line: 2, column: 15 }]);
    expect(text).toContain("plan.json:2:15: error: This is not valid JSON");
  });

  it.each([["[]"], ["null"], ['"text"'], ["3"]])("a value that is not a plan: %s", async (text) => {
    const refusal = await refusedWithInput(newProject(), text, "stage");
    expect(refusal.text).toContain("<stdin>:1:1: error: ");
    expect(refusal.hint).toContain("saga schema plan");
  });

  it("a key that a plan does not have", async () => {
    const { text } = await refusedWithInput(newProject(), '{"storys": []}', "stage");
    expect(text).toContain("`storys` is not a known field.");
  });

  it("a wrong type, a missing field and a bad value, all at once and each with its line", async () => {
    const project = newProject();
    project.write("plan.json", {
      stories: [good, { id: "bad", title: 5, priority: 9, tasks: [{ id: "7", subject: "x" }] }],
    });
    const { problems, text } = await refused(project, "stage", "plan.json");
    expect(text).toContain("plan.json:10:7: error: `stories[1].title` must be a string");
    expect(text).toContain("plan.json:8:5: error: `stories[1].description` is missing.");
    expect(text).toContain(
      "plan.json:11:7: error: `stories[1].priority` must be at most 4, but is 9.",
    );
    expect(text).toContain('`stories[1].tasks[0].id` ("7") may not be all digits');
    expect(text).toContain("`stories[1].tasks[0].description` is missing.");
    expect(problems).toHaveLength(5);
  });

  it.each([
    ["story", { stories: [good, aStory("Not Good")] }],
    ["task", { stories: [{ ...good, tasks: [aTask("a--b")] }] }],
    ["epic", { epics: [anEpic("an_epic", [])], stories: [good] }],
  ])("an id that breaks the rules: %s", async (_, bad) => {
    const { code, text } = await refusedWithInput(newProject(), JSON.stringify(bad), "stage");
    expect(code).toBe("bad-plan");
    expect(text).toContain("may only contain lower-case letters");
  });

  it.each([
    ["story", { stories: [good, good] }, "The plan has good twice."],
    ["task", { stories: [{ ...good, tasks: [aTask("t"), aTask("t")] }] }, "The plan has t twice."],
    ["epic", { epics: [anEpic("e", []), anEpic("e", [])] }, "The plan has e twice."],
    [
      "child",
      { epics: [anEpic("e", [{ id: "good" }, { id: "good" }])], stories: [good] },
      "lists good twice",
    ],
  ])("a duplicate: %s", async (_, bad, sentence) => {
    const { text } = await refusedWithInput(newProject(), JSON.stringify(bad), "stage");
    expect(text).toContain(sentence);
  });

  it.each([
    [
      "of tasks",
      {
        stories: [
          { ...good, tasks: [aTask("a", { blockedBy: ["b"] }), aTask("b", { blockedBy: ["a"] })] },
        ],
      },
      "These tasks wait for each other: a → b → a.",
    ],
    [
      "of stories",
      {
        epics: [anEpic("e", [])],
        stories: [
          { ...aStory("e--a"), blockedBy: ["e--b"] },
          { ...aStory("e--b"), blockedBy: ["e--a"] },
        ],
      },
      "These stories wait for each other: e--a → e--b → e--a.",
    ],
  ])("a cycle %s, listed by ids", async (_, bad, sentence) => {
    const { text } = await refusedWithInput(newProject(), JSON.stringify(bad), "stage");
    expect(text).toContain(sentence);
  });

  it("a cycle that closes only together with existing stories", async () => {
    const project = newProject();
    project.write(".saga/stories/s/story.json", aStory("s"));
    project.write(".saga/stories/s/a.json", aTask("a", { blockedBy: ["b"] }));
    project.write(".saga/stories/s/b.json", aTask("b"));
    project.write("plan.json", {
      stories: [{ ...aStory("s"), tasks: [aTask("b", { blockedBy: ["a"] })] }],
    });
    const { text } = await refused(project, "stage", "plan.json", "--update");
    expect(text).toContain("These tasks wait for each other: a → b → a.");
  });

  it.each([
    [
      "a task",
      { stories: [{ ...good, tasks: [aTask("t", { blockedBy: ["nope"] })] }] },
      "Task t waits for nope, which is not a task of this story.",
    ],
    [
      "a story of the epic",
      { epics: [anEpic("e", [])], stories: [{ ...aStory("e--a"), blockedBy: ["e--nope"] }] },
      "Story e--a waits for e--nope, which is not a story of the epic e.",
    ],
    [
      "a child",
      { epics: [anEpic("e", [{ id: "nope" }])], stories: [good] },
      "Epic e lists the story nope, which does not exist.",
    ],
    ["an epic", { stories: [aStory("good", { epic: "nope" })] }, "nope"],
    [
      "a story, without an epic to keep the order in",
      { stories: [{ ...good, blockedBy: ["x"] }] },
      "epic",
    ],
  ])("a reference to what is not there: %s", async (_, bad, sentence) => {
    const { text } = await refusedWithInput(newProject(), JSON.stringify(bad), "stage");
    expect(text).toContain(sentence);
  });

  it("a payload for an epic that is not there", async () => {
    const bad = { storyUpdate: { id: "good", title: "Good", epicId: "nope" } };
    const { text } = await refusedWithInput(newProject(), JSON.stringify(bad), "stage");
    expect(text).toContain("nope");
  });

  it("a task that is larger than the settings allow", async () => {
    const project = newProject();
    project.write(".saga/config.toml", "[size]\nmax_files = 2\n");
    project.write("plan.json", {
      stories: [{ ...good, tasks: [aTask("t", { writeFiles: ["a", "b", "c"] })] }],
    });
    const { text } = await refused(project, "stage", "plan.json");
    expect(text).toContain("Task t declares 3 files to write; at most 2 are allowed.");
    expect(text).toContain("Split it");
  });

  it("an archived story", async () => {
    const project = newProject();
    project.write(".saga/archive/old/story.json", aStory("old", { status: "completed" }));
    project.write("plan.json", { stories: [good, aStory("old")] });
    const { text } = await refused(project, "stage", "plan.json");
    expect(text).toContain("The story old is in the archive.");
  });

  it("to build on a broken story, and names its file", async () => {
    const project = newProject();
    project.write(".saga/stories/s/story.json", "{");
    project.write("plan.json", { stories: [good, aStory("s")] });
    const { text } = await refused(project, "stage", "plan.json", "--update");
    expect(text).toContain(".saga/stories/s/story.json:1:2: error: This is not valid JSON");
  });

  it("to build on a broken epic, and names its file", async () => {
    const project = newProject();
    project.write(".saga/epics/e/epic.json", "{");
    project.write("plan.json", { stories: [aStory("e--s", { epic: "e" })] });
    const { text } = await refused(project, "stage", "plan.json");
    expect(text).toContain(".saga/epics/e/epic.json");
  });

  it.each([".saga/stories", ".saga/stories/good", ".saga/epics"])(
    "to write where a file already exists: %s",
    async (file) => {
      const project = newProject();
      project.write(file, "in the way\n");
      project.write("plan.json", {
        epics: [anEpic("e", [])],
        stories: [aStory("fine"), good],
      });
      const { text } = await refused(project, "stage", "plan.json");
      expect(text).toContain(file);
    },
  );

  it.each([".saga/stories", ".saga/stories/good", ".saga/epics"])(
    "to write through a link out of .saga: %s",
    async (link) => {
      const project = newProject();
      const outside = newFolder("outside");
      project.link(link, outside.path);
      project.write("plan.json", { epics: [anEpic("e", [])], stories: [aStory("fine"), good] });
      const { text } = await refused(project, "stage", "plan.json");
      expect(text).toContain(join(project.path, link));
      expect(wholeDisk(outside.path)).toBe(wholeDisk(newFolder("outside").path));
    },
  );

  it("with every file left as it was, down to a terminal escape in the plan", async () => {
    const { text } = await refusedWithInput(
      newProject(),
      JSON.stringify({ stories: [aStory("s", { title: "red \u001b[31m \u009b31m" })] }),
      "stage",
    );
    expect(text).toContain("contains a line break or control character");
  });
});
