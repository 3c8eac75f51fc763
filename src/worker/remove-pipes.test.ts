import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { removeAllPipes, removePipes } from "./remove-pipes.ts";

it("removes pipes with a name that git or Saga reads, and no others", () => {
  const { folder, pipe } = newFolder();
  pipe(".gitignore");
  pipe("data.pipe");
  pipe(".saga/stories/cart/journal.md");
  writeFileSync(join(folder, ".gitattributes"), "*.txt text\n");
  expect(removePipes(folder, "cart")).toEqual([".gitignore", ".saga/stories/cart/journal.md"]);
  expect(existsSync(join(folder, "data.pipe"))).toBe(true);
  expect(existsSync(join(folder, ".gitattributes"))).toBe(true);
});

it("searches every folder that git reads when it is thorough", () => {
  const { folder, pipe } = newFolder();
  pipe("src/deep/.gitignore");
  pipe("node_modules/a/.gitignore");
  expect(removePipes(folder, "cart")).toEqual([]);
  expect(removeAllPipes(folder, "cart")).toEqual(["src/deep/.gitignore"]);
});

function newFolder() {
  const folder = mkdtempSync(join(tmpdir(), "saga-test-"));
  const pipe = (name: string): void => {
    mkdirSync(join(folder, name, ".."), { recursive: true });
    execFileSync("mkfifo", [join(folder, name)]);
  };
  return { folder, pipe };
}
