import { describe, expect, it } from "vitest";
import { aStory, aTask, newFolder, type Project } from "../../../test/support/project.ts";
import { layoutOf } from "../project/layout.ts";
import { writeTaskStatus } from "./task-status.ts";

const FILE = ".saga/stories/one/first.json";

describe("a status that is written", () => {
  it("keeps a person's formatting and numbers that JavaScript cannot represent", async () => {
    const project = withTask('{ "id":"first",\n "status":"pending", "big": 12345678901234567890 }');
    await writeTaskStatus(layoutOf(project.path), "one", "first", "completed");
    expect(project.read(FILE)).toBe(
      '{ "id":"first",\n "status":"completed", "big": 12345678901234567890 }',
    );
  });

  it("is added where there was none", async () => {
    const project = withTask('{\n    "id": "first",\n    "mine": [1]\n}\n');
    await writeTaskStatus(layoutOf(project.path), "one", "first", "in_progress");
    expect(project.read(FILE)).toBe(
      '{\n    "status": "in_progress",\n    "id": "first",\n    "mine": [1]\n}\n',
    );
  });

  it.each([
    ["no JSON at all", "{", "not valid JSON"],
    ["a list", "[]", "not a task"],
    ["nothing", "null", "not a task"],
    ["an unknown status", '{"id":"first","status":"done"}', '"done" is not a status'],
  ])("does not touch %s", async (_, text, reason) => {
    const project = withTask(text);
    const writing = writeTaskStatus(layoutOf(project.path), "one", "first", "completed");
    await expect(writing).rejects.toMatchObject({
      code: "bad-file",
      problems: [{ message: expect.stringContaining(reason) as string }],
    });
    expect(project.read(FILE)).toBe(text);
  });

  it("survives many writers at once", async () => {
    const project = withTask(`${JSON.stringify(aTask("first"), undefined, 2)}\n`);
    const at = layoutOf(project.path);
    const statuses = ["pending", "in_progress", "completed"] as const;
    const writers = Array.from({ length: 60 }, (_, turn) =>
      writeTaskStatus(at, "one", "first", statuses[turn % 3] ?? "pending"),
    );
    await Promise.all(writers);
    expect(statuses).toContain(project.json(FILE)["status"]);
  });
});

function withTask(text: string): Project {
  const project = newFolder();
  project.write(".saga/stories/one/story.json", aStory("one"));
  project.write(FILE, text);
  return project;
}
