import { chmodSync, existsSync, readFileSync, rmSync, utimesSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { EVIL_SETTINGS } from "../../test/support/nested-programs.ts";
import { newRepository, type TestRepository } from "../../test/support/repository.ts";

interface Nested {
  readonly test: TestRepository;
  readonly ran: () => string;
}

const PROGRAMS = [
  ...EVIL_SETTINGS,
  "filter.a=b.clean",
  "core.editor",
  "alias.status",
  "credential.helper",
  "gpg.program",
];
const FILES = ["one.txt", "two.b", "three.c"];
const HOOKS = ["pre-commit", "post-checkout", "post-index-change", "reference-transaction"];

/** A repository in `folder` that names every kind of program, with a change that git has to look at. */
function plant(test: TestRepository, folder: string, settings = PROGRAMS): void {
  const base = dirname(test.path);
  const evil = test.write("../evil.sh", `echo "$1" >> ${base}/ran\ncat\n`);
  const at = join(test.path, folder);
  test.git("init", "--quiet", at);
  test.write(
    `${folder}/.gitattributes`,
    "*.txt filter=evil diff=evil merge=evil\n*.b filter=a=b\n*.c filter=long\n",
  );
  for (const name of FILES) test.write(`${folder}/${name}`, "one\n");
  test.gitIn(at, "add", "--all");
  test.gitIn(at, "commit", "--quiet", "--message=nested");
  for (const key of settings) test.gitIn(at, "config", key, `sh ${evil} ${key}`);
  for (const name of HOOKS) {
    const file = test.write(`${folder}/.git/hooks/${name}`, `#!/bin/sh\nsh ${evil} ${name}\n`);
    chmodSync(file, 0o755);
  }
}

let seconds = 0;

/** Each time with another date: git has to read the files again. */
function touch({ path }: TestRepository, folder: string): void {
  seconds++;
  for (const name of FILES) {
    const file = join(path, folder, name);
    if (existsSync(file)) utimesSync(file, seconds, seconds);
  }
}

function newNested(): Nested {
  const test = newRepository();
  const record = join(dirname(test.path), "ran");
  const ran = (): string => (existsSync(record) ? readFileSync(record, "utf8") : "");
  plant(test, "inner");
  test.git("add", "inner");
  test.git("commit", "--quiet", "--message=nested");
  touch(test, "inner");
  rmSync(record, { force: true });
  return { test, ran };
}

const COMMANDS = [
  ["status", "--porcelain"],
  ["status", "--porcelain", "--ignore-submodules=none"],
  ["diff", "--quiet"],
  ["diff", "--cached", "--quiet", "--ignore-submodules=none"],
  ["diff-files", "--name-only"],
  ["add", "--all"],
  ["add", "--update", "--", ":(top)"],
  ["ls-files", "--others"],
  ["clean", "--quiet", "--force", "-d"],
  ["reset", "--quiet"],
  ["checkout", "--quiet", "--force", "HEAD"],
  ["commit", "--quiet", "--allow-empty", "--message=more"],
];

describe("a repository inside a worktree", () => {
  it("has no program of its own run by git's commands in the worktree", async () => {
    const { test, ran } = newNested();
    const { git } = await test.open();
    for (const args of COMMANDS) {
      touch(test, "inner");
      await git.attempt(args);
      expect(ran(), args.join(" ")).toBe("");
    }
  });

  it("would have all of them run otherwise", () => {
    const { test, ran } = newNested();
    test.git("status", "--porcelain");
    for (const name of ["filter.evil.clean", "filter.a=b.clean", "filter.long.process"]) {
      expect(ran()).toContain(name);
    }
  });

  it("still shows its changes", async () => {
    const { test } = newNested();
    const { git } = await test.open();
    expect(await git.ask(["status", "--porcelain", "-uno"])).toBe("");
    test.write("inner/one.txt", "two\n");
    expect(await git.ask(["status", "--porcelain", "-uno"])).toBe(" M inner");
  });

  it("has none run from one repository further in, nor from a file that it includes", async () => {
    const { test, ran } = newNested();
    plant(test, "inner/deep", []);
    const settings = test.write("../settings", "");
    const evil = `sh ${dirname(test.path)}/evil.sh included`;
    test.git("config", "--file", settings, "filter.evil.clean", evil);
    test.gitIn(join(test.path, "inner/deep"), "config", "include.path", settings);
    test.gitIn(join(test.path, "inner"), "-c", "core.hooksPath=/dev/null", "add", "deep");
    touch(test, "inner/deep");
    rmSync(join(dirname(test.path), "ran"), { force: true });
    const { git } = await test.open();
    await git.ask(["status", "--porcelain", "--ignore-submodules=none"]);
    expect(ran()).toBe("");
  });

  it("has a filter run that the person's own settings name, and not its own by that name", async () => {
    const { test, ran } = newNested();
    const own = join(dirname(test.path), "own");
    test.git("config", "filter.evil.clean", `tee -a ${own}`);
    const { git } = await test.open();
    await git.ask(["status", "--porcelain", "--ignore-submodules=none"]);
    expect(ran()).toBe("");
    expect(readFileSync(own, "utf8")).toContain("one\n");
  });
});
