import { chmodSync } from "node:fs";
import { expect, it } from "vitest";
import { newFolder } from "../../test/support/project.ts";
import { findClaude } from "./find.ts";

function program(file: string) {
  const folder = newFolder();
  chmodSync(folder.write(file, "#!/bin/sh\n"), 0o755);
  return folder.path;
}

it("the program in the settings is used, from the project or the home folder, and no other", () => {
  const project = program("bin/claude");
  expect(findClaude("bin/claude", {}, project)).toEqual({
    path: `${project}/bin/claude`,
    from: "settings",
  });
  expect(findClaude("~/bin/claude", { HOME: project }, "/p")?.path).toBe(`${project}/bin/claude`);
  expect(findClaude("bin/missing", { PATH: `${project}/bin` }, project)).toBeUndefined();
});

it("otherwise the one on PATH", () => {
  const folder = program("claude");
  expect(findClaude(undefined, { PATH: folder }, "/p")).toEqual({
    path: `${folder}/claude`,
    from: "PATH",
  });
});
