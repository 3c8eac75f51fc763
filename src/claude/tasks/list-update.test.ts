import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  rmdirSync,
  utimesSync,
  watch,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { begin, claudeTask as task, newList } from "../../../test/support/claude-list.ts";
import { bundle, runNode } from "../../../test/support/programs.ts";
import { readTask, removeTaskList, updateTask } from "./list.ts";

/** Until there is a file of such a name. */
async function waitFor(folder: string, name: RegExp): Promise<void> {
  const watcher = watch(folder);
  while (!readdirSync(folder).some((one) => name.test(one))) await once(watcher, "change");
  watcher.close();
}

const setBack = (path: string, ms: number): void => {
  const then = new Date(Date.now() - ms);
  utimesSync(path, then, then);
};

describe("an update", () => {
  it("changes what it is asked to and keeps what it does not know", async () => {
    const folder = newList(task("a", { metadata: { mine: [1] }, extra: { deep: true } }));
    expect(await updateTask(folder, "a", begin)).toMatchObject({ status: "in_progress" });
    expect(await readTask(folder, "a")).toEqual(
      task("a", { status: "in_progress", metadata: { mine: [1] }, extra: { deep: true } }),
    );
    expect(readdirSync(folder)).toEqual(["a.json"]);
  });

  it("that is durable holds the lock only to rename a file that is already written", async () => {
    const folder = newList(task("a", { extra: 1 }));
    const listings: string[][] = [];
    const durably = await updateTask(
      folder,
      "a",
      (one) => {
        listings.push(readdirSync(folder).map((name) => name.replace(/^\.a\..*$/, "aside")));
        return begin(one);
      },
      { isDurable: true },
    );
    expect(listings.map((names) => names.toSorted())).toEqual([
      ["a.json"],
      ["a.json", "a.json.lock", "aside"],
    ]);
    expect(durably).toEqual(task("a", { extra: 1, status: "in_progress" }));
    expect(await readTask(folder, "a")).toEqual(durably);
    expect(readdirSync(folder)).toEqual(["a.json"]);
  });

  it("that is to last is made for what the task is under the lock, not for what it was before", async () => {
    const folder = newList(task("a"));
    const lock = join(folder, "a.json.lock");
    mkdirSync(lock);
    const update = updateTask(folder, "a", begin, { isDurable: true });
    await waitFor(folder, /^\.a\..*\.new$/);
    writeFileSync(join(folder, "a.json"), JSON.stringify(task("a", { owner: "claude" })));
    rmdirSync(lock);
    expect(await update).toEqual(task("a", { owner: "claude", status: "in_progress" }));
    expect(await readTask(folder, "a")).toEqual(await update);
    expect(readdirSync(folder)).toEqual(["a.json"]);
  });

  it("of a missing task does nothing", async () => {
    const folder = newList(task("a"));
    expect(await updateTask(folder, "b", begin)).toBeUndefined();
    removeTaskList(folder);
    expect(await updateTask(folder, "a", begin)).toBeUndefined();
    expect(existsSync(folder)).toBe(false);
  });

  it.each(["../a", "a/b", "With.Dot"])("of an invalid id is refused: %j", async (id) => {
    await expect(updateTask(newList(task("a")), id, begin)).rejects.toMatchObject({
      code: "bad-id",
    });
  });

  it("that would hide the task from Claude is refused, and the lock given back", async () => {
    const folder = newList(task("a"));
    const breaking = updateTask(folder, "a", (one) => ({ ...one, status: "done" as "completed" }));
    await expect(breaking).rejects.toThrow("status");
    expect(readdirSync(folder)).toEqual(["a.json"]);
    expect(await readTask(folder, "a")).toEqual(task("a"));
  });

  it("is made while it holds the lock that Claude knows, and no other", async () => {
    const folder = newList(task("a"), task("b"));
    let during: string[] = [];
    await updateTask(folder, "a", (one) => {
      during = readdirSync(folder).toSorted();
      return begin(one);
    });
    expect(during).toEqual(["a.json", "a.json.lock", "b.json"]);
  });

  it("waits for the lock, and starts from what its holder wrote", async () => {
    const folder = newList(task("a"));
    const lock = join(folder, "a.json.lock");
    mkdirSync(lock);
    const update = updateTask(folder, "a", begin);
    writeFileSync(join(folder, "a.json"), JSON.stringify(task("a", { owner: "claude" })));
    rmdirSync(lock);
    expect(await update).toEqual(task("a", { owner: "claude", status: "in_progress" }));
    expect(readdirSync(folder)).toEqual(["a.json"]);
  });

  it("gives up on a lock that is held for long, and leaves it alone", async () => {
    const folder = newList(task("a"));
    mkdirSync(join(folder, "a.json.lock"));
    await expect(updateTask(folder, "a", begin)).rejects.toMatchObject({ code: "in-use" });
    expect(readdirSync(folder).toSorted()).toEqual(["a.json", "a.json.lock"]);
  });

  it("removes a lock that is ten seconds old", async () => {
    const folder = newList(task("a"));
    mkdirSync(join(folder, "a.json.lock"));
    setBack(join(folder, "a.json.lock"), 11_000);
    expect(await updateTask(folder, "a", begin)).toMatchObject({ status: "in_progress" });
    expect(readdirSync(folder)).toEqual(["a.json"]);
  });

  it("by two processes at once, a hundred times each, loses no update", async () => {
    const folder = newList(task("a"));
    const program = await bundle("test/support/processes/task-updater.ts");
    const ended = await Promise.all(
      [1, 2].map(() => runNode([program, folder, "a", "100"], { cwd: folder })),
    );
    expect(ended.map(({ stderr, stdout }) => [stderr, stdout.length])).toEqual([
      ["", 100],
      ["", 100],
    ]);
    expect((await readTask(folder, "a"))?.metadata).toEqual({ count: 200 });
    expect(readdirSync(folder)).toEqual(["a.json"]);
  });

  it("whose process is killed leaves the task whole, and is followed by others", async () => {
    const folder = newList(task("a"));
    const program = await bundle("test/support/processes/task-updater.ts");
    const child = spawn(process.execPath, [program, folder, "a", "100000"]);
    const ended = once(child, "exit");
    const watcher = watch(folder);
    await once(child.stdout, "data");
    await once(watcher, "change");
    watcher.close();
    child.kill("SIGKILL");
    await ended;
    const before = Number((await readTask(folder, "a"))?.metadata?.["count"]);
    expect(before).toBeGreaterThan(0);
    const lock = join(folder, "a.json.lock");
    if (existsSync(lock)) setBack(lock, 11_000);
    expect(await updateTask(folder, "a", begin)).toMatchObject({ metadata: { count: before } });
  });
});
