import { lstatSync, readlinkSync, readFileSync, statSync, utimesSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";
import { newFolder } from "../../../test/support/project.ts";
import { copyTree } from "./copy-tree.ts";

it("copies folders, files with their times, and links as links", async () => {
  const folder = newFolder();
  const file = folder.write("from/deep/a", "1");
  utimesSync(file, 100, 200);
  folder.link("from/link", "deep/a");
  const to = join(folder.path, "to");
  expect(await copyTree(join(folder.path, "from"), to)).toBe(true);
  expect(readFileSync(join(to, "deep/a"), "utf8")).toBe("1");
  expect(statSync(join(to, "deep/a")).mtimeMs).toBe(200_000);
  expect(readlinkSync(join(to, "link"))).toBe("deep/a");
});

it("skips a pipe, which would never end, and overwrites nothing", async () => {
  const folder = newFolder();
  const file = folder.write("from/a", "1");
  execFileSync("mkfifo", [join(folder.path, "from/pipe")]);
  await copyTree(join(folder.path, "from"), join(folder.path, "to"));
  expect(lstatSync(join(folder.path, "to/pipe"), { throwIfNoEntry: false })).toBeUndefined();
  await expect(copyTree(file, join(folder.path, "to/a"))).rejects.toThrow("EEXIST");
});
