import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { newFolder } from "../../test/support/project.ts";
import { removeAllPipes, removePipes } from "./remove-pipes.ts";

it("removes pipes with a name that git or Saga reads, and no others", () => {
  const { folder, pipe } = withPipes();
  pipe(".gitignore");
  pipe("data.pipe");
  pipe(".saga/stories/cart/journal.md");
  writeFileSync(join(folder, ".gitattributes"), "*.txt text\n");
  expect(removePipes(folder, "cart")).toEqual([".gitignore", ".saga/stories/cart/journal.md"]);
  expect(existsSync(join(folder, "data.pipe"))).toBe(true);
  expect(existsSync(join(folder, ".gitattributes"))).toBe(true);
});

it("searches every folder that git reads when it is thorough", () => {
  const { folder, pipe } = withPipes();
  pipe("src/deep/.gitignore");
  pipe("node_modules/a/.gitignore");
  expect(removePipes(folder, "cart")).toEqual([]);
  expect(removeAllPipes(folder, "cart")).toEqual(["src/deep/.gitignore"]);
});

function withPipes() {
  const folder = newFolder().path;
  const pipe = (name: string): void => {
    mkdirSync(join(folder, name, ".."), { recursive: true });
    execFileSync("mkfifo", [join(folder, name)]);
  };
  return { folder, pipe };
}
