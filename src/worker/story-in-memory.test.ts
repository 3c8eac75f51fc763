import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { aStory, aTask, newProject } from "../../test/support/project.ts";
import { openStore } from "../store/file-store.ts";
import type { Fields } from "../store/project/json-text.ts";
import type { StoryEvent } from "../story/state/story-event.ts";
import { holdStory } from "./story-in-memory.ts";

/** `b` and `c` come after `a`, `d` after both. */
const DIAMOND = [
  aTask("a", { status: "completed" }),
  aTask("b", { blockedBy: ["a"], guidance: "Slowly.", order: 2 }),
  aTask("c", { blockedBy: ["a"], status: "in_progress", order: 3 }),
  aTask("d", { blockedBy: ["b", "c"], order: 4 }),
];

async function hold(tasks: readonly Fields[] = DIAMOND) {
  const project = newProject();
  const folder = join(project.path, ".saga/stories/one");
  project.write(".saga/stories/one/story.json", aStory("one", { checks: ["npm test"] }));
  const write = (task: Fields): void => {
    project.write(`.saga/stories/one/${String(task["id"])}.json`, task);
  };
  tasks.forEach(write);
  const store = openStore(project.path);
  const noted: StoryEvent[] = [];
  const record = { note: (event: StoryEvent) => void noted.push(event) };
  const story = holdStory(await store.readStory("one"), { store, record });
  const at = (name: string): string => join(folder, name);
  const read = (name: string): Fields => JSON.parse(readFileSync(at(name), "utf8")) as Fields;
  return { story, store, noted, folder, write, at, read };
}

const ids = (tasks: readonly { id: string }[]): string[] => tasks.map(({ id }) => id);

describe("a held story", () => {
  it("has the story's tasks in their order, and no others", async () => {
    const { story } = await hold();
    expect(ids(story.tasks())).toEqual(["a", "b", "c", "d"]);
    expect(story.task("b")?.guidance).toBe("Slowly.");
    expect([story.status("a"), story.status("c")]).toEqual(["completed", "in_progress"]);
    expect([story.task("12"), story.status("12")]).toEqual([undefined, undefined]);
  });

  it("knows which tasks remain, and when none do", async () => {
    const { story } = await hold();
    expect(ids(story.remaining())).toEqual(["b", "c", "d"]);
    for (const id of ["b", "c", "d"]) {
      expect(story.isDone()).toBe(false);
      await story.setStatus(id, "completed");
    }
    expect([story.remaining(), story.isDone()]).toEqual([[], true]);
  });

  it("is done when it has no tasks", async () => {
    expect((await hold([])).story.isDone()).toBe(true);
  });

  it("knows what a task waits for: its uncompleted dependencies", async () => {
    const { story } = await hold();
    expect(["a", "b", "c", "d", "12"].map(story.waitsFor)).toEqual([[], [], [], ["b", "c"], []]);
    await story.setStatus("c", "completed");
    expect(story.waitsFor("d")).toEqual(["b"]);
    await story.setStatus("b", "in_progress");
    expect(story.waitsFor("d")).toEqual(["b"]);
    await story.setStatus("b", "completed");
    expect(story.waitsFor("d")).toEqual([]);
  });

  it("is not changed by what an agent writes into the files", async () => {
    const { story, at } = await hold();
    writeFileSync(at("story.json"), JSON.stringify(aStory("one", { checks: [] })));
    writeFileSync(at("b.json"), JSON.stringify(aTask("b", { status: "completed" })));
    expect(story.definition().checks).toEqual(["npm test"]);
    expect(story.status("b")).toBe("pending");
  });
});

describe("the status of a task", () => {
  it("is held, written and noted, and nothing else of the task changes", async () => {
    const { story, read, noted } = await hold();
    const before = story.task("b");
    await story.setStatus("b", "completed");
    expect(story.task("b")).toEqual({ ...before, status: "completed" });
    expect(before?.status).toBe("pending");
    expect(read("b.json")).toEqual({ ...DIAMOND[1], status: "completed" });
    expect(noted).toEqual([{ type: "task.changed", task: "b", to: "completed" }]);
  });

  it("is held and noted even if it cannot be written", async () => {
    const { story, at, noted } = await hold();
    rmSync(at("b.json"));
    await expect(story.setStatus("b", "completed")).rejects.toThrow("one/b");
    const unsafe = (): void => {
      throw new Error("unsafe");
    };
    await expect(story.setStatus("c", "completed", unsafe)).rejects.toThrow("unsafe");
    expect([story.status("b"), story.status("c")]).toEqual(["completed", "completed"]);
    expect(noted.map((event) => "task" in event && event.task)).toEqual(["b", "c"]);
  });

  it("is the held one in a file that is restored", async () => {
    const { story, at, read } = await hold();
    await story.setStatus("b", "completed");
    rmSync(at("b.json"));
    expect(story.restoreFiles()).toEqual(["b.json"]);
    expect(read("b.json")).toEqual({ ...DIAMOND[1], status: "completed" });
    expect(story.restoreFiles()).toEqual([]);
  });
});

describe("what Saga changes in a held story", () => {
  it("fields of the story are written and held", async () => {
    const { story, read, at } = await hold();
    await story.update({ branch: "story/one" });
    expect(read("story.json")).toMatchObject({ branch: "story/one", checks: ["npm test"] });
    expect(story.definition().branch).toBe("story/one");
    writeFileSync(at("story.json"), JSON.stringify(aStory("one", { checks: ["npm test"] })));
    expect(story.restoreFiles()).toEqual(["story.json (branch)"]);
  });

  it("a new task is written after the others, and is not removed as an agent's", async () => {
    const { story, read, noted } = await hold();
    await story.addTask(aTask("fix"));
    expect(ids(story.tasks())).toEqual(["a", "b", "c", "d", "fix"]);
    expect(read("fix.json")).toMatchObject({ id: "fix", order: 5 });
    expect(noted).toMatchObject([{ type: "task.added", task: "fix" }]);
    expect(story.restoreFiles()).toEqual([]);
  });

  it("a split brings the tasks that it wrote; of the others the files do not count", async () => {
    const { story, store, write, read } = await hold();
    story.allowCompletion("b");
    story.allowCompletion("d");
    write(aTask("b", { blockedBy: ["a"], guidance: "Only a part.", order: 2 }));
    write(aTask("rest", { splitFrom: "b", order: 2.5 }));
    write(aTask("d", { status: "completed", order: 4 }));
    story.takeSplit(await store.readStory("one"), new Set(["b", "rest"]));
    expect(ids(story.tasks())).toEqual(["a", "b", "rest", "c", "d"]);
    expect(story.task("b")?.guidance).toBe("Only a part.");
    expect([story.status("d"), story.waitsFor("d")]).toEqual(["pending", ["b", "c"]]);
    expect(["b", "d"].map(story.isCompletionAllowed)).toEqual([false, true]);
    expect(story.restoreFiles()).toEqual(["d.json (blockedBy)"]);
    expect(read("d.json")["blockedBy"]).toEqual(["b", "c"]);
  });

  it("a split does not lose a held task whose file an agent deleted", async () => {
    const { story, store, at, write } = await hold();
    rmSync(at("c.json"));
    write(aTask("rest", { splitFrom: "b", order: 2.5 }));
    story.takeSplit(await store.readStory("one"), new Set(["rest"]));
    expect(story.status("c")).toBe("in_progress");
    expect(story.restoreFiles()).toEqual(["c.json"]);
  });

  it("a merge brings people's changes to tasks, but not another status", async () => {
    const { story, store, write } = await hold();
    await story.setStatus("b", "completed");
    write(aTask("b", { description: "As on main.", status: "pending" }));
    write(aTask("new", { description: "As on main.", order: 9 }));
    story.takeMerged(await store.readStory("one"));
    expect(story.task("b")).toMatchObject({ description: "As on main.", status: "completed" });
    expect(story.task("new")).toMatchObject({ description: "As on main.", status: "pending" });
  });
});
