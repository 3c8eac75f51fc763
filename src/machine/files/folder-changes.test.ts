import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { newFolder } from "../../../test/support/project.ts";
import { followFolders, type FolderChanges } from "./folder-changes.ts";

/** Longer than a test may take: only an event ends the wait. */
const FOREVER_MS = 600_000;
const NEVER = new AbortController().signal;

interface Followed {
  readonly path: string;
  readonly changes: FolderChanges;
}

/** Follows `a`, which exists, and `b`, which does not; the first change has been taken. */
async function followed(): Promise<Followed> {
  const { path } = newFolder();
  mkdirSync(join(path, "a"));
  const changes = followFolders();
  onTestFinished(() => changes.close());
  changes.follow([join(path, "a"), join(path, "b")]);
  await changes.next(FOREVER_MS, NEVER);
  return { path, changes };
}

describe("a change in a followed folder", () => {
  it("is each file that is renamed into place", async () => {
    const { path, changes } = await followed();
    for (const text of ["one", "two", "three"]) {
      const change = changes.next(FOREVER_MS, NEVER);
      writeFileSync(join(path, "new"), text);
      renameSync(join(path, "new"), join(path, "a/file"));
      await expect(change).resolves.toBeUndefined();
    }
  });

  it("is remembered until the next wait", async () => {
    const { path, changes } = await followed();
    writeFileSync(join(path, "a/file"), "text");
    await expect(changes.next(FOREVER_MS, NEVER)).resolves.toBeUndefined();
  });

  it("is its appearance, its removal and its replacement", async () => {
    const { path, changes } = await followed();
    const all = [join(path, "a"), join(path, "b")];
    mkdirSync(join(path, "b"));
    changes.follow(all);
    await expect(changes.next(FOREVER_MS, NEVER)).resolves.toBeUndefined();
    rmSync(join(path, "b"), { recursive: true });
    mkdirSync(join(path, "b"));
    changes.follow(all);
    await expect(changes.next(FOREVER_MS, NEVER)).resolves.toBeUndefined();
    writeFileSync(join(path, "b/file"), "text");
    await expect(changes.next(FOREVER_MS, NEVER)).resolves.toBeUndefined();
  });
});

it("a slow read is followed by a pause, even after a change", async () => {
  const { path, changes } = await followed();
  const startedAt = performance.now();
  while (performance.now() - startedAt < 60);
  writeFileSync(join(path, "a/file"), "text");
  await changes.next(FOREVER_MS, NEVER);
  expect(performance.now() - startedAt).toBeGreaterThan(540);
});

it("a wait ends at its time limit and on stop", async () => {
  const { changes } = await followed();
  await changes.next(10, NEVER);
  const stop = new AbortController();
  const change = changes.next(FOREVER_MS, stop.signal);
  stop.abort();
  await expect(change).resolves.toBeUndefined();
});
