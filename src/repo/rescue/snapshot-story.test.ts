import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { newFolder } from "../../../test/support/project.ts";
import { changedIn } from "./snapshot-story.ts";

it("finds a copy that a person or an agent has changed: no snapshot has it", () => {
  const { path, write } = newFolder();
  write("project/.env", "KEY=1\n");
  write("copy/.env", "KEY=1\n");
  const changed = (): string | undefined =>
    changedIn(join(path, "copy/.env"), join(path, "project/.env"));
  expect(changed()).toBeUndefined();
  write("copy/.env", "KEY=2\n");
  expect(changed()).toBe(join(path, "copy/.env"));
});

it("finds the first such file in a copied folder, also a new one", () => {
  const { path, write } = newFolder();
  for (const top of ["project", "copy"]) write(`${top}/data/one`, "1");
  const changed = (): string | undefined =>
    changedIn(join(path, "copy/data"), join(path, "project/data"));
  expect(changed()).toBeUndefined();
  write("copy/data/deep/new", "2");
  expect(changed()).toBe(join(path, "copy/data/deep/new"));
});

it("loses nothing with a copy that is missing or a link", () => {
  const { path, write } = newFolder();
  write("project/.env", "KEY=1\n");
  expect(changedIn(join(path, "copy"), join(path, "project/.env"))).toBeUndefined();
  symlinkSync("project/.env", join(path, "link"));
  expect(changedIn(join(path, "link"), join(path, "missing"))).toBeUndefined();
});
