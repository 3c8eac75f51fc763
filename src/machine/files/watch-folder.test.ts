import { mkdirSync, renameSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { newFolder } from "../../../test/support/project.ts";
import { watchFolder, type FolderWatch } from "./watch-folder.ts";

interface Watched {
  readonly folder: string;
  readonly watch: FolderWatch;
  /** Resolves with the first event on this name. */
  readonly event: (name: string) => Promise<string>;
}

/** The folder does not exist yet. */
function watched(): Watched {
  const folder = join(newFolder().path, "watched");
  const waits = new Map<string, (kind: string) => void>();
  const watch = watchFolder(folder, {
    onEvent: (kind, name) => waits.get(name ?? "")?.(kind),
    onError: (error) => expect.fail(String(error)),
  });
  onTestFinished(watch.close);
  const event = (name: string): Promise<string> =>
    new Promise((resolve) => {
      waits.set(name, resolve);
    });
  return { folder, watch, event };
}

it("a missing folder is watched from the first renewal after it appears", async () => {
  const { folder, watch, event } = watched();
  expect(watch.renew()).toBe(false);
  expect(watch.isWatching()).toBe(false);
  mkdirSync(folder);
  expect(watch.renew()).toBe(true);
  expect(watch.isWatching()).toBe(true);
  expect(watch.renew()).toBe(false);
  const written = event("file");
  writeFileSync(join(folder, "file"), "");
  await expect(written).resolves.toBe("rename");
});

it("a folder that replaces another of the same name is watched after the next renewal", async () => {
  const { folder, watch, event } = watched();
  mkdirSync(folder);
  watch.renew();
  renameSync(folder, `${folder}.old`);
  mkdirSync(folder);
  expect(watch.renew()).toBe(true);
  const written = event("file");
  writeFileSync(join(folder, "file"), "");
  await expect(written).resolves.toBe("rename");
});

it("a folder that is made again is another one, even with the same inode", () => {
  const { folder, watch } = watched();
  mkdirSync(folder);
  watch.renew();
  rmdirSync(folder);
  mkdirSync(folder);
  expect(watch.renew()).toBe(true);
});

it("a removed folder and a file in its place are not watched", () => {
  const { folder, watch } = watched();
  mkdirSync(folder);
  watch.renew();
  rmSync(folder, { recursive: true });
  expect(watch.renew()).toBe(true);
  writeFileSync(folder, "");
  expect(watch.renew()).toBe(false);
  expect(watch.isWatching()).toBe(false);
});

it("a closed watch starts again on renewal", () => {
  const { folder, watch } = watched();
  mkdirSync(folder);
  watch.renew();
  watch.close();
  expect(watch.isWatching()).toBe(false);
  expect(watch.renew()).toBe(true);
  expect(watch.isWatching()).toBe(true);
});
