import { join } from "node:path";
import { expect, it } from "vitest";
import { newFolder } from "../../test/support/project.ts";
import { judgingMark, judgingVariables } from "./end-leftover-checks.ts";

it("the mark is the same for every spelling of the project", () => {
  const project = newFolder();
  project.link("link", project.path);
  const mark = judgingMark(project.path, "cart");
  expect(judgingMark(join(project.path, "link"), "cart")).toEqual(mark);
  expect(judgingMark(`${project.path}/.`, "cart")).toEqual(mark);
});

it("the mark differs by story and by project", () => {
  const [one, other] = [newFolder().path, newFolder().path];
  const marks = [judgingMark(one, "cart"), judgingMark(one, "form"), judgingMark(other, "cart")];
  expect(new Set(marks.map(([, value]) => value)).size).toBe(3);
});

it("the variables of a check carry the mark that ends it", () => {
  const project = newFolder().path;
  const [name, value] = judgingMark(project, "cart");
  expect(judgingVariables(project, "cart")).toEqual({ [name]: value });
});
