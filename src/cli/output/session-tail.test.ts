import { join } from "node:path";
import { expect, it } from "vitest";
import { newFolder } from "../../../test/support/project.ts";
import { sessionTail } from "./session-tail.ts";

it("is the end of the output in one line, and empty without a file", () => {
  const folder = newFolder();
  folder.write("out", `${"x".repeat(600)}\nlast\nline\n`);
  const tail = sessionTail(join(folder.path, "out"));
  expect(tail).toMatch(/x last line$/);
  expect(tail).toHaveLength(500);
  expect(sessionTail(join(folder.path, "none"))).toBe("");
});
