import { expect, it } from "vitest";
import { newFolder } from "../../../test/support/project.ts";
import { numbersInFolders } from "./number-paths.ts";

it("the last number is the highest, and other files have none", () => {
  const project = newFolder();
  const { last, path } = numbersInFolders(project.path);
  expect(last("x")).toBe(0);
  for (const file of ["9.json", "10.json", ".11.a.tmp", "12.json.bak", "sent.json"]) {
    project.write(`x/${file}`, "");
  }
  expect(last("x")).toBe(10);
  expect(path("x", 10)).toBe(`${project.path}/x/10.json`);
});
