import { expect, it } from "vitest";
import { newFolder } from "../../../test/support/project.ts";
import { readPage } from "./page-files.ts";

it("serves the files of a built page by their path; those with a hash may be cached without a limit", () => {
  const folder = newFolder();
  folder.write("index.html", "<html>");
  folder.write("assets/index-1a.js", "1");
  folder.write("notes.md", "No type is known for it.");
  const { index, files } = readPage(folder.path);
  expect(index?.type).toBe("text/html; charset=utf-8");
  expect([...files.keys()].toSorted()).toEqual(["/assets/index-1a.js", "/index.html"]);
  const cached = [...files].flatMap(([path, { isImmutable }]) => (isImmutable ? [path] : []));
  expect(cached).toEqual(["/assets/index-1a.js"]);
});

it("is empty without a build", () => {
  expect(readPage("/nowhere/at/all")).toEqual({ index: undefined, files: new Map() });
});
