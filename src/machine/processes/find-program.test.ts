import { chmodSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newFolder, type Project } from "../../../test/support/project.ts";
import { findProgram, isProgram } from "./find-program.ts";

function putProgram(folder: Project, file: string, mode = 0o755): string {
  const path = folder.write(file, "#!/bin/sh\n");
  chmodSync(path, mode);
  return path;
}

describe("a program", () => {
  it("is the first executable of its name on PATH", () => {
    const folder = newFolder();
    putProgram(folder, "text/tool", 0o644);
    putProgram(folder, "folder/tool/inside");
    const wanted = putProgram(folder, "first/tool");
    putProgram(folder, "second/tool");
    const places = ["none", "text", "folder", "first", "second"];
    const PATH = ["", ...places.map((name) => join(folder.path, name))].join(":");
    expect(findProgram("tool", { PATH })).toBe(wanted);
    expect(findProgram("another", { PATH })).toBeUndefined();
  });

  it("is not found without a PATH", () => {
    expect(findProgram("sh", {})).toBeUndefined();
    expect(findProgram("sh", { PATH: "" })).toBeUndefined();
  });

  it("is an executable file, or a link to one", () => {
    const folder = newFolder();
    const program = putProgram(folder, "tool");
    folder.link("link", program);
    folder.link("dangling", "nowhere");
    expect(isProgram(program)).toBe(true);
    expect(isProgram(join(folder.path, "link"))).toBe(true);
    expect(isProgram(join(folder.path, "dangling"))).toBe(false);
    expect(isProgram(putProgram(folder, "text", 0o644))).toBe(false);
    expect(isProgram(folder.path)).toBe(false);
  });
});
