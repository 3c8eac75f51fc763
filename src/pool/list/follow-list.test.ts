import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { claudeTask, newList } from "../../../test/support/claude-list.ts";
import { newFolder } from "../../../test/support/project.ts";
import { createTask, updateTask } from "../../claude/tasks/list.ts";
import { observeList, type ListChange, type ListObserver } from "./follow-list.ts";

type Entry = ListChange["entry"];

interface SlotReport {
  readonly observer: ListObserver;
  readonly now: ReadonlyMap<string, Entry>;
  /** All ids in the order they were reported. */
  readonly reported: string[];
  readonly errors: unknown[];
  /** Waits for a report after which this holds. */
  readonly until: (holds: () => boolean) => Promise<void>;
}

/** The slow look is so slow that only what the system tells of can make a test pass. */
async function observe(list: string, pollMs = 600_000): Promise<SlotReport> {
  const now = new Map<string, Entry>();
  const reported: string[] = [];
  const errors: unknown[] = [];
  const waiting = new Set<() => void>();
  const observer = await observeList(list, {
    pollMs,
    onChange(changes) {
      for (const { id, entry } of changes) {
        now.set(id, entry);
        reported.push(id);
      }
      for (const wake of waiting) wake();
    },
    onError: (error) => errors.push(error),
  });
  onTestFinished(() => observer.close());
  const until = (holds: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (!holds()) return;
        waiting.delete(look);
        resolve();
      };
      waiting.add(look);
      look();
    });
  return { observer, now, reported, errors, until };
}

const statusOf = (entry: Entry): string | undefined =>
  entry && ("kind" in entry ? entry.kind : entry.status);
const write = (list: string, id: string, content: unknown): void =>
  writeFileSync(
    join(list, `${id}.json`),
    typeof content === "string" ? content : JSON.stringify(content),
  );

describe("at the beginning", () => {
  it("everything is reported: tasks, and problems of invalid files", async () => {
    const list = newList(claudeTask("1"), claudeTask("2", { metadata: { priority: 9 } }));
    write(list, "3", '{"id":');
    write(list, "4", { ...claudeTask("4"), status: "done" });
    write(list, "5", claudeTask("6"));
    mkdirSync(join(list, "7.json"));
    write(list, "not a task", "");
    writeFileSync(join(list, ".highwatermark"), "9");
    const { now } = await observe(list);
    expect(Object.fromEntries([...now].map(([id, entry]) => [id, statusOf(entry)]))).toEqual({
      1: "pending",
      2: "invalid-task",
      3: "invalid-json",
      4: "invalid-task",
      5: "invalid-task",
      7: "unreadable",
    });
    expect(now.get("4")).toEqual({
      kind: "invalid-task",
      file: join(list, "4.json"),
      taskId: "4",
      message: `${join(list, "4.json")} is not a task. \`status\` must be one of pending, in_progress, completed, but is "done".`,
    });
    expect(now.get("2")).toMatchObject({
      message: expect.stringContaining("`metadata.priority`") as string,
    });
  });

  it("a missing list is empty, and is reported once it exists", async () => {
    const list = join(newFolder().path, "tasks", "pool");
    const { now, until, errors } = await observe(list, 20);
    expect(now.size).toBe(0);
    await createTask(list, { subject: "s", description: "d" });
    await until(() => statusOf(now.get("1")) === "pending");
    expect(errors).toEqual([]);
  });
});

describe("a change", () => {
  it("is reported when a task is replaced, written in place or created; other files are not read again", async () => {
    const list = newList(claudeTask("1"), claudeTask("2"), claudeTask("3"));
    const { now, reported, until } = await observe(list);
    reported.length = 0;
    await updateTask(list, "1", (task) => ({ ...task, status: "completed" }));
    write(list, "2", claudeTask("2", { status: "in_progress" }));
    await createTask(list, { subject: "s", description: "d" });
    await until(
      () =>
        statusOf(now.get("1")) === "completed" &&
        statusOf(now.get("2")) === "in_progress" &&
        now.has("4"),
    );
    expect(reported).not.toContain("3");
  });

  it("is reported when the file is complete", async () => {
    const list = newList(claudeTask("1"));
    const { now, until, observer, errors } = await observe(list);
    const after = JSON.stringify(claudeTask("1", { status: "completed" }));
    write(list, "1", `${after}\n}`);
    const looking = observer.reread(["1"]);
    // It looks for the first time in the next turn of the loop, and some milliseconds later again.
    setImmediate(() => write(list, "1", after));
    await looking;
    await until(() => statusOf(now.get("1")) === "completed");
    expect(errors).toEqual([]);
  });

  it("keeps a task's creation time although the file is new", async () => {
    const list = newList(claudeTask("fix-it"));
    const { now, until } = await observe(list);
    const made = now.get("fix-it");
    await updateTask(list, "fix-it", (task) => ({ ...task, subject: "New" }));
    await until(() => now.get("fix-it") !== made);
    expect(now.get("fix-it")).toEqual({ ...made, subject: "New" });
  });

  it("without a file event is found by polling", async () => {
    const list = newList(claudeTask("1"), claudeTask("2"));
    const { now, until } = await observe(list, 20);
    // Another folder replaces it: a watch of the first one gets no more events.
    renameSync(list, `${list}.old`);
    mkdirSync(list);
    write(list, "1", claudeTask("1", { status: "completed" }));
    await until(() => statusOf(now.get("1")) === "completed" && now.get("2") === undefined);
    write(list, "3", claudeTask("3"));
    await until(() => now.has("3"));
    expect([...now.keys()]).toEqual(["1", "2", "3"]);
  });

  it("is found by a full scan although the file times did not change", async () => {
    const list = newList(claudeTask("1"));
    const { observer, now } = await observe(list);
    write(list, "1", claudeTask("1", { status: "in_progress" }));
    await observer.compareAll();
    expect(statusOf(now.get("1"))).toBe("in_progress");
  });

  it("is not reported after the observer is closed", async () => {
    const list = newList(claudeTask("1"));
    const { observer, reported } = await observe(list);
    reported.length = 0;
    observer.close();
    write(list, "1", claudeTask("1", { status: "completed" }));
    await observer.compareAll();
    expect(reported).toEqual([]);
  });
});

describe("a deleted task", () => {
  it("is reported when it stays deleted", async () => {
    const list = newList(claudeTask("1"), claudeTask("2"));
    const { now, until } = await observe(list);
    rmSync(join(list, "1.json"));
    await until(() => now.get("1") === undefined);
    expect([...now.keys()]).toEqual(["1", "2"]);
  });

  it("is reported after the tasks that waited for it have changed, in the order in which Claude deletes", async () => {
    const list = newList(claudeTask("1"), claudeTask("2", { blockedBy: ["1"] }));
    const { now, reported, until } = await observe(list);
    reported.length = 0;
    rmSync(join(list, "1.json"));
    write(list, "2", claudeTask("2"));
    await until(() => now.get("1") === undefined);
    expect(reported.indexOf("2")).toBeGreaterThanOrEqual(0);
    expect(reported.indexOf("2")).toBeLessThan(reported.indexOf("1"));
  });

  it("that reappears at once is not reported", async () => {
    const list = newList(claudeTask("1"), claudeTask("2"));
    const { now, observer, reported, until } = await observe(list);
    rmSync(join(list, "1.json"));
    await observer.compareAll();
    write(list, "1", claudeTask("1", { status: "completed" }));
    await until(() => statusOf(now.get("1")) === "completed");
    // What is deleted now stays deleted: by then the first would be overdue.
    rmSync(join(list, "2.json"));
    await until(() => now.get("2") === undefined);
    expect(statusOf(now.get("1"))).toBe("completed");
    expect(reported.filter((id) => id === "2")).toHaveLength(2);
  });
});

it("a list that cannot be read is reported and read again later", async () => {
  const list = join(newFolder().path, "pool");
  writeFileSync(list, "");
  const { now, errors, until } = await observe(list, 20);
  expect(errors).not.toEqual([]);
  rmSync(list);
  mkdirSync(list);
  write(list, "1", claudeTask("1"));
  await until(() => now.has("1"));
});
