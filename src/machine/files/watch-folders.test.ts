import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { newFolder } from "../../../test/support/project.ts";
import { watchFolders, type FolderWatch } from "./watch-folders.ts";

/** Longer than a test may take: only an event ends the waiting. */
const FOR_EVER_MS = 600_000;
const NEVER = new AbortController().signal;

interface Watching {
  readonly path: string;
  readonly watch: FolderWatch;
}

/** One folder `a` that is followed, and whose beginning was told. */
async function watching(): Promise<Watching> {
  const { path } = newFolder();
  mkdirSync(join(path, "a"));
  const watch = watchFolders();
  onTestFinished(() => watch.close());
  watch.follow([join(path, "a"), join(path, "b")]);
  await watch.next(FOR_EVER_MS, NEVER);
  return { path, watch };
}

describe("folders that are watched", () => {
  it("tell of a file that is renamed into place, again and again", async () => {
    const { path, watch } = await watching();
    for (const text of ["one", "two", "three"]) {
      const change = watch.next(FOR_EVER_MS, NEVER);
      writeFileSync(join(path, "new"), text);
      renameSync(join(path, "new"), join(path, "a/file"));
      await expect(change).resolves.toBeUndefined();
    }
  });

  it("tell of a change that came while nobody waited", async () => {
    const { path, watch } = await watching();
    writeFileSync(join(path, "a/file"), "text");
    await expect(watch.next(FOR_EVER_MS, NEVER)).resolves.toBeUndefined();
  });

  it("are a change when they come, go, or are made again", async () => {
    const { path, watch } = await watching();
    const all = [join(path, "a"), join(path, "b")];
    mkdirSync(join(path, "b"));
    watch.follow(all);
    await expect(watch.next(FOR_EVER_MS, NEVER)).resolves.toBeUndefined();
    rmSync(join(path, "b"), { recursive: true });
    mkdirSync(join(path, "b"));
    watch.follow(all);
    await expect(watch.next(FOR_EVER_MS, NEVER)).resolves.toBeUndefined();
    writeFileSync(join(path, "b/file"), "text");
    await expect(watch.next(FOR_EVER_MS, NEVER)).resolves.toBeUndefined();
  });

  it("leave a rest after a look that took long, whatever has changed by then", async () => {
    const { path, watch } = await watching();
    const began = performance.now();
    while (performance.now() - began < 60);
    writeFileSync(join(path, "a/file"), "text");
    await watch.next(FOR_EVER_MS, NEVER);
    expect(performance.now() - began).toBeGreaterThan(540);
  });

  it("are not waited for longer than asked, nor when all is to end", async () => {
    const { watch } = await watching();
    await watch.next(10, NEVER);
    const stop = new AbortController();
    const change = watch.next(FOR_EVER_MS, stop.signal);
    stop.abort();
    await expect(change).resolves.toBeUndefined();
  });
});
