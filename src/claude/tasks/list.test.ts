import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { begin, claudeTask as task, newList } from "../../../test/support/claude-list.ts";
import { canMount, fill, makeReadOnly, mounted } from "../../../test/support/disk.ts";
import { newFolder } from "../../../test/support/project.ts";
import {
  createTask,
  createTaskList,
  readTask,
  readTaskList,
  removeTaskList,
  taskListFolder,
  updateTask,
} from "./list.ts";

describe("the folder of a task list", () => {
  it("is in the home folder, or where Claude's own variable says", () => {
    expect(taskListFolder({ HOME: "/h" }, "saga__x")).toBe("/h/.claude/tasks/saga__x");
    expect(taskListFolder({ HOME: "/h", CLAUDE_CONFIG_DIR: "/c" }, "saga__x")).toBe(
      "/c/tasks/saga__x",
    );
    expect(taskListFolder({ HOME: "/h", CLAUDE_CONFIG_DIR: "" }, "saga__x")).toBe(
      "/h/.claude/tasks/saga__x",
    );
  });

  it.each(["", "saga/x", "../evil", "a.b", "a b", "ü", "a\n"])(
    "has no name that Claude would change: %j",
    (id) => {
      expect(() => taskListFolder({ HOME: "/h" }, id)).toThrow("is not the name of a task list");
    },
  );
});

describe("a new task list", () => {
  it("holds every task as Claude writes it, and nothing else", async () => {
    const tasks = [task("a", { blocks: ["b"] }), task("b", { blockedBy: ["a"] })];
    const folder = newList(...tasks);
    expect(readdirSync(folder).toSorted()).toEqual(["a.json", "b.json"]);
    expect(readFileSync(join(folder, "a.json"), "utf8")).toBe(
      JSON.stringify(tasks[0], undefined, 2),
    );
    expect(await readTaskList(folder)).toEqual(expect.arrayContaining(tasks));
    expect(readdirSync(join(folder, ".."))).toEqual(["saga__x"]);
  });

  it.each(["sp ace", "With.Dot", "../a", "a/b", ""])(
    "is not made at all with a task that Claude would not see: %j",
    (id) => {
      const { path } = newFolder();
      const folder = join(path, "saga__x");
      expect(() => createTaskList(folder, [task("a"), task(id)])).toThrow(
        `${JSON.stringify(id)} cannot be the id of a task in Claude Code.`,
      );
      expect(readdirSync(path)).toEqual([]);
    },
  );

  it("does not replace one that is there, and says so", async () => {
    const folder = newList(task("a", { status: "completed" }));
    expect(() => createTaskList(folder, [task("b")])).toThrow(
      expect.objectContaining({ name: "SagaError", code: "not-writable" }) as Error,
    );
    expect(await readTaskList(folder)).toEqual([task("a", { status: "completed" })]);
    expect(readdirSync(join(folder, ".."))).toEqual(["saga__x"]);
  });

  it("is gone when it is removed, and may be removed again", async () => {
    const folder = newList(task("a"));
    removeTaskList(folder);
    removeTaskList(folder);
    expect(existsSync(folder)).toBe(false);
    expect(await readTaskList(folder)).toEqual([]);
  });
});

describe.runIf(canMount)("a disk that takes no more", () => {
  const many = Array.from({ length: 40 }, (_, at) =>
    task(`task-${at}`, { description: "x".repeat(3000) }),
  );

  it("gets a new list whole or not at all when it is full", () => {
    const disk = mounted(256);
    mkdirSync(join(disk, "tasks"));
    fill(disk, 64);
    expect(() => createTaskList(join(disk, "tasks", "saga__x"), many)).toThrow(
      expect.objectContaining({ code: "disk-full" }) as Error,
    );
    expect(readdirSync(join(disk, "tasks"))).toEqual([]);
  });

  it("gets no list when it is read-only", () => {
    const disk = mounted(256);
    makeReadOnly(disk);
    expect(() => createTaskList(join(disk, "tasks", "saga__x"), many)).toThrow(
      expect.objectContaining({ code: "not-writable" }) as Error,
    );
    expect(readdirSync(disk)).toEqual([]);
  });

  it("keeps a task as it was when it is full, and no trace of the attempt", async () => {
    const disk = mounted(256);
    const folder = join(disk, "saga__x");
    createTaskList(folder, [task("a")]);
    fill(disk, 8);
    const growing = updateTask(folder, "a", (one) => ({ ...one, description: "x".repeat(50_000) }));
    await expect(growing).rejects.toMatchObject({ code: "disk-full" });
    expect(readdirSync(folder)).toEqual(["a.json"]);
    expect(await readTask(folder, "a")).toEqual(task("a"));
  });

  it("keeps a task as it was when it is read-only", async () => {
    const disk = mounted(256);
    createTaskList(join(disk, "saga__x"), [task("a")]);
    makeReadOnly(disk);
    await expect(updateTask(join(disk, "saga__x"), "a", begin)).rejects.toMatchObject({
      code: "not-writable",
    });
    expect(await readTask(join(disk, "saga__x"), "a")).toEqual(task("a"));
  });
});

describe("a new task", () => {
  const NEW = { subject: "s", description: "d" };

  it("gets the next number, and everything that Claude asks for", async () => {
    const folder = newList(task("1"), task("12"), task("x"));
    const made = await createTask(folder, { ...NEW, metadata: { priority: 1 }, blockedBy: ["1"] });
    expect(made).toEqual({
      id: "13",
      status: "pending",
      blocks: [],
      blockedBy: ["1"],
      metadata: { priority: 1 },
      ...NEW,
    });
    expect(await readTask(folder, "13")).toEqual(made);
    expect(readdirSync(folder).toSorted()).toEqual([
      ".lock",
      "1.json",
      "12.json",
      "13.json",
      "x.json",
    ]);
  });

  it.each([
    ["in a list that is not there", {}, "1"],
    ["after what Claude has deleted", { ".highwatermark": "50" }, "51"],
    ["whatever else is in Claude's note", { ".highwatermark": "-3 none" }, "1"],
    ["after names that only begin with a number", { "12-foo.json": "{}" }, "13"],
    ["after a file that is not a task", { "7.json": "broken" }, "8"],
    ["after files that do not have a task's name", { "99.txt": "", ".98.json": "" }, "1"],
  ])("is numbered %s", async (_, files, number) => {
    const folder = join(newFolder().path, "tasks", "pool");
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    expect((await createTask(folder, NEW)).id).toBe(number);
  });

  it("waits for the lock that Claude takes to make one", async () => {
    const folder = newList(task("1"));
    mkdirSync(join(folder, ".lock.lock"));
    const making = createTask(folder, NEW);
    writeFileSync(join(folder, "2.json"), JSON.stringify(task("2")));
    rmdirSync(join(folder, ".lock.lock"));
    expect((await making).id).toBe("3");
  });

  it("does not replace a task that was created in the meantime", async () => {
    const folder = newList(task("1"));
    const made = await Promise.all(Array.from({ length: 20 }, () => createTask(folder, NEW)));
    expect(new Set(made.map(({ id }) => id)).size).toBe(20);
    expect(readdirSync(folder).filter((name) => name.endsWith(".json"))).toHaveLength(21);
  });

  it("that Claude would ignore is refused, and leaves no file", async () => {
    const folder = newList(task("1"));
    const breaking = createTask(folder, { ...NEW, status: "done" as "completed" });
    await expect(breaking).rejects.toThrow("status");
    expect(readdirSync(folder).toSorted()).toEqual([".lock", "1.json"]);
  });
});

describe("reading", () => {
  it.each([
    ["an empty file", "a.json", ""],
    ["half a task", "a.json", '{"id":"a","sub'],
    ["a mark before the text", "a.json", `\ufeff${JSON.stringify(task("a"))}`],
    ["a missing field", "a.json", JSON.stringify({ ...task("a"), blocks: undefined })],
    ["a status of its own", "a.json", JSON.stringify({ ...task("a"), status: "done" })],
    ["a list of tasks", "a.json", JSON.stringify([task("a")])],
    ["a dot in front", ".a.json", JSON.stringify(task("a"))],
    ["a dot within", "With.Dot.json", JSON.stringify(task("a"))],
    ["a space", "sp ace.json", JSON.stringify(task("a"))],
    ["another ending", "a.json.bak", JSON.stringify(task("a"))],
  ])("leaves out what Claude would not see, and nothing else: %s", async (_, name, text) => {
    const folder = newList(task("good"));
    writeFileSync(join(folder, name), text);
    expect(await readTaskList(folder)).toEqual([task("good")]);
  });

  it("finds a partly written file, and reads again", async () => {
    const folder = newList(task("a"));
    const file = join(folder, "a.json");
    const after = JSON.stringify(task("a", { status: "completed" }), undefined, 2);
    // New text with the tail of the old one, as Claude leaves it before it cuts the file.
    writeFileSync(file, `${after}\n}`);
    const reading = readTask(folder, "a");
    // It has looked for the first time before it gave its promise.
    writeFileSync(file, after);
    expect(await reading).toMatchObject({ status: "completed" });
  });

  it("passes over a task that is removed at that moment", async () => {
    expect(await readTask(newList(task("a")), "b")).toBeUndefined();
    expect(await readTask(join(newFolder().path, "none"), "b")).toBeUndefined();
  });
});
