import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { newFolder } from "../../../test/support/project.ts";
import { flatNumbers, foldersOfNumbers } from "./numbered-files.ts";

it("in folders only the last file of a name is kept, and newer temporary files", () => {
  const project = newFolder();
  for (const file of ["1.json", "2.json", "3.json", ".3.a.tmp", ".4.b.tmp", "sent.json"]) {
    project.write(`x/${file}`, "");
  }
  const files = foldersOfNumbers(project.path);
  expect([files.isLast("x", 3), files.isLast("x", 2), files.names()]).toEqual([true, false, ["x"]]);
  files.tidy("x", 3);
  expect(readdirSync(join(project.path, "x")).toSorted()).toEqual([
    ".4.b.tmp",
    "3.json",
    "sent.json",
  ]);
});

it("in one folder the last number is the end of the numbers from 1 on", () => {
  const project = newFolder();
  for (const file of ["a.1", "a.2", "a.10", "b.4", "cards/x.1"]) project.write(file, "");
  const files = flatNumbers(project.path);
  expect([files.last("a"), files.last("b"), files.isLast("a", 2)]).toEqual([2, 0, true]);
  expect(files.all()).toEqual(
    new Map([
      ["a", [1, 2, 10]],
      ["b", [4]],
    ]),
  );
});
