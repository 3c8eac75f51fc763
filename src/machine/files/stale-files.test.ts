import { readdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { newFolder } from "../../../test/support/project.ts";
import { removeStaleFiles } from "./stale-files.ts";

it("removes temporary files after an hour, and no others", () => {
  const folder = newFolder();
  const hoursAgo = new Date(Date.now() - 2 * 3_600_000);
  for (const name of ["old.new", "young.new", "old.json"]) folder.write(name, "{");
  for (const name of ["old.new", "old.json"]) {
    utimesSync(join(folder.path, name), hoursAgo, hoursAgo);
  }
  removeStaleFiles(folder.path, /\.new$/);
  removeStaleFiles(join(folder.path, "missing"), /\.new$/);
  expect(readdirSync(folder.path).toSorted()).toEqual(["old.json", "young.new"]);
});
