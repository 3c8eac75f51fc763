// What holds for every command.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { newFolder, newProject, ODD_NAMES } from "../../../test/support/project.ts";
import { isHarmless, refused } from "../../../test/support/refused.ts";
import { COMMANDS } from "./table.ts";

const SUBCOMMANDS = [
  "new epic",
  "new story",
  "new task",
  "config get",
  "config set",
  "config unset",
];

it.each([...COMMANDS.map(({ name }) => name), ...SUBCOMMANDS])(
  "saga %s has examples in its help",
  async (command) => {
    const { exitCode, stdout } = await newFolder().saga(`${command} --help`);
    expect(exitCode).toBe(0);
    expect(stdout).toContain(`Usage: saga ${command}`);
    expect(stdout).toMatch(/Examples:\n {2}\S/);
  },
);

it.each([
  "archive s",
  "config",
  "config get size.max_files",
  "config set size.max_files 3",
  "cost",
  "edit s",
  "journal s",
  "list",
  "logs s",
  "new story s -d x",
  "note s x",
  "queue",
  "recover",
  "rm s",
  "search x",
  "show s",
  "split s t --plan p.json",
  "status",
  "unarchive s",
  "validate",
])("saga %s says how to start when there is no project", async (command) => {
  const { code, text } = await refused(newFolder(), command);
  expect(code).toBe("no-project");
  expect(text).toContain("saga init");
});

it.each(ODD_NAMES)("commands work in a folder with %s in its name", async (_, name) => {
  const project = newProject(name);
  for (const command of [
    "new epic e -d x",
    "new story s --epic e -d x",
    "new task e--s t -d x",
    "config set size.max_files 8",
    "journal e--s --decision x",
    "edit e--s --set title=A",
    "list",
    "show e--s",
    "status",
    "validate",
  ]) {
    const { exitCode, stdout, stderr } = await project.saga(command);
    expect({ exitCode, stderr }, command).toEqual({ exitCode: 0, stderr: "" });
    expect(isHarmless(stdout), command).toBe(true);
  }
  const folder = join(project.path, ".saga/stories/e--s");
  expect((await project.saga("show e--s --json")).json()["folder"]).toBe(folder);
  for (const file of ["story.json", "t.json"]) {
    const path = `.saga/stories/e--s/${file}`;
    project.write(path, { ...project.json(path), status: "completed" });
  }
  const { exitCode, stdout } = await project.saga("archive e--s");
  expect({ exitCode, isHarmless: isHarmless(stdout) }).toEqual({ exitCode: 0, isHarmless: true });
  expect(existsSync(join(project.path, ".saga/archive/e--s/story.json"))).toBe(true);
  expect(existsSync(join(project.path, "pwned"))).toBe(false);
});
