import { mkdtempSync, realpathSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { judgingMark, judgingVariables } from "./judging.ts";

const project = realpathSync(mkdtempSync(join(tmpdir(), "saga-test-")));

it("the mark is the same for every spelling of the project", () => {
  const link = join(project, "link");
  symlinkSync(project, link);
  expect(judgingMark(link, "cart")).toEqual(judgingMark(project, "cart"));
  expect(judgingMark(`${project}/.`, "cart")).toEqual(judgingMark(project, "cart"));
});

it("the mark differs by story and by project", () => {
  const other = realpathSync(mkdtempSync(join(tmpdir(), "saga-test-")));
  const marks = [
    judgingMark(project, "cart"),
    judgingMark(project, "form"),
    judgingMark(other, "cart"),
  ];
  expect(new Set(marks.map(([, value]) => value)).size).toBe(3);
});

it("the variables of a check carry the mark that ends it", () => {
  const [name, value] = judgingMark(project, "cart");
  expect(judgingVariables(project, "cart")).toEqual({ [name]: value });
});
