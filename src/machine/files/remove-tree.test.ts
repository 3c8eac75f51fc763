import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { newFolder } from "../../../test/support/project.ts";
import { removeTree } from "./remove-tree.ts";

it("a link is removed, not what it leads to", () => {
  const folder = newFolder();
  const kept = folder.write("kept/a", "1");
  folder.link("tree/link", join(folder.path, "kept"));
  removeTree(join(folder.path, "tree"));
  expect(existsSync(join(folder.path, "tree"))).toBe(false);
  expect(existsSync(kept)).toBe(true);
});

it("names that are not UTF-8 and read-only folders are removed too", () => {
  const tree = join(newFolder().path, "tree");
  mkdirSync(join(tree, "locked"), { recursive: true });
  writeFileSync(Buffer.concat([Buffer.from(`${tree}/`), Buffer.from([0xe9])]), "");
  writeFileSync(join(tree, "locked/a"), "");
  chmodSync(join(tree, "locked"), 0o500);
  removeTree(tree);
  expect(existsSync(tree)).toBe(false);
});

it("nothing there is fine", () => {
  expect(() => removeTree(join(newFolder().path, "none"))).not.toThrow();
});
