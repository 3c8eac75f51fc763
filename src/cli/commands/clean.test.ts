import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { newProject } from "../../../test/support/project.ts";

it("names what the pool had to set aside, and leaves it to a person", async () => {
  const project = newProject();
  const aside = ".saga/auto/0000abcd/set-aside";
  project.write(`${aside}/run/nested/file`, "precious\n");
  const { exitCode, stdout } = await project.saga("clean");
  expect(exitCode).toBe(0);
  expect(stdout).toContain(`${aside} has what no snapshot could hold`);
  expect(existsSync(join(project.path, aside, "run/nested/file"))).toBe(true);
});
