import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { newFolder } from "../../test/support/project.ts";
import { entryAt } from "./lstat.ts";

it("finds a link itself, and nothing below a file", () => {
  const folder = newFolder();
  folder.write("file", "x");
  symlinkSync("nowhere", join(folder.path, "link"));
  expect(entryAt(join(folder.path, "link"))?.isSymbolicLink()).toBe(true);
  expect(entryAt(join(folder.path, "file"))?.isFile()).toBe(true);
  expect(entryAt(join(folder.path, "file/below"))).toBeUndefined();
  expect(entryAt(join(folder.path, "none"))).toBeUndefined();
});
