import { expect, it } from "vitest";
import { newProject } from "../../../test/support/project.ts";
import { openStore } from "../file-store.ts";

it("a file of settings is parsed once, and again when it has changed", async () => {
  const project = newProject();
  project.write(".saga/config.toml", "[run]\nkeep = 3\n");
  const first = await openStore(project.path).settings();
  expect(first.run.keep).toBe(3);
  expect(await openStore(project.path).settings()).toBe(first);
  project.write(".saga/config.toml", "[run]\nkeep = 4\n");
  const second = await openStore(project.path).settings();
  expect(second.run.keep).toBe(4);
});
