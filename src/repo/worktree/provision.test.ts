import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { newRepository, prepare, type TestRepository } from "../../../test/support/repository.ts";
import { readTextIfThere } from "../../machine/files/files.ts";
import { startTimeOf } from "../../machine/processes/process-id.ts";
import { provision, type ProvisionRequest } from "./provision.ts";

async function worktree() {
  const test = newRepository();
  const { folder, gitDir } = await prepare(test);
  return { test, folder, give: given(test, folder, gitDir) };
}

const given =
  (test: TestRepository, worktree: string, gitDir: string) =>
  (what: Partial<ProvisionRequest>): Promise<string[]> =>
    provision({
      project: test.path,
      worktree,
      gitDir,
      copy: [],
      link: [],
      setup: undefined,
      setupTimeoutMs: 20_000,
      env: test.env,
      ...what,
    });

describe("files of the project", () => {
  it("are copied into a worktree unchanged", async () => {
    const { test, folder, give } = await worktree();
    test.write(".env", "secret\n");
    test.write("data/deep/run", "#!/bin/sh\n");
    chmodSync(join(test.path, "data/deep/run"), 0o755);
    test.link("data/link", "deep/run");
    test.write("*.txt", "a name\n");
    expect(await give({ copy: [".env", "data/", "*.txt"] })).toEqual([]);
    expect(readFileSync(join(folder, ".env"), "utf8")).toBe("secret\n");
    expect(statSync(join(folder, "data/deep/run")).mode & 0o111).toBe(0o111);
    expect(readlinkSync(join(folder, "data/link"))).toBe("deep/run");
    expect(readFileSync(join(folder, "*.txt"), "utf8")).toBe("a name\n");
    expect(existsSync(join(folder, ".saga/.provision.tmp"))).toBe(false);
  });

  it("are linked into a worktree by links that survive moving the project", async () => {
    const { test, folder, give } = await worktree();
    test.write("packages/app/modules/one", "one\n");
    await give({ link: ["packages/app/modules"] });
    const link = join(folder, "packages/app/modules");
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(readlinkSync(link)).toMatch(/^\.\.\//);
    expect(readFileSync(join(link, "one"), "utf8")).toBe("one\n");
  });

  it("are never overwritten", async () => {
    const { test, folder, give } = await worktree();
    for (const name of ["copied", "linked"]) {
      test.write(name, "the project's\n");
      writeFileSync(join(folder, name), "the worktree's\n");
    }
    await give({ copy: ["copied"], link: ["linked"] });
    expect(readFileSync(join(folder, "copied"), "utf8")).toBe("the worktree's\n");
    expect(readFileSync(join(folder, "linked"), "utf8")).toBe("the worktree's\n");
    expect(readFileSync(join(test.path, "linked"), "utf8")).toBe("the project's\n");
  });

  it("that do not exist cause a warning", async () => {
    const { give } = await worktree();
    expect(await give({ copy: [".env"], link: ["modules"] })).toEqual([
      expect.stringContaining(".env"),
      expect.stringContaining("modules"),
    ]);
  });

  it.each([
    "",
    ".",
    "..",
    "../x",
    "/etc/passwd",
    "a/../../x",
    ".git/config",
    "a/.GIT",
    ".saga",
    ".saga/x",
  ])("are refused outside, and in git's and Saga's own folders: %j", async (path) => {
    const { give } = await worktree();
    await expect(give({ copy: [path] })).rejects.toMatchObject({ code: "bad-setting" });
    await expect(give({ link: [path] })).rejects.toMatchObject({ code: "bad-setting" });
  });

  it("are refused behind a link that leads outside, on either side", async () => {
    const { test, folder, give } = await worktree();
    const outside = join(dirname(test.path), "outside");
    mkdirSync(outside);
    writeFileSync(join(outside, "secret"), "secret\n");
    symlinkSync(outside, join(test.path, "out"));
    await expect(give({ copy: ["out/secret"] })).rejects.toThrow("leads out");
    await expect(give({ copy: ["out"] })).rejects.toThrow("leads out");
    test.write("in/file", "file\n");
    symlinkSync(outside, join(folder, "in"));
    await expect(give({ copy: ["in/file"] })).rejects.toThrow("leads out");
    expect(existsSync(join(outside, "file"))).toBe(false);
  });

  it("are copied completely after a killed copy", async () => {
    const { test, folder, give } = await worktree();
    test.write("data/one", "one\n");
    mkdirSync(join(folder, ".saga/.provision.tmp"));
    writeFileSync(join(folder, ".saga/.provision.tmp/half"), "ha");
    await give({ copy: ["data"] });
    expect(readFileSync(join(folder, "data/one"), "utf8")).toBe("one\n");
    expect(existsSync(join(folder, "data/half"))).toBe(false);
  });
});

describe("the set-up command", () => {
  it("runs once in the worktree, and again after it changes", async () => {
    const { test, folder, give } = await worktree();
    const setup = `echo "$PWD $SAGA_PROJECT_DIR" >> log; cat; echo done`;
    const output: string[] = [];
    for (let times = 0; times < 2; times++)
      await give({ setup, onOutput: (text) => output.push(text) });
    expect(readFileSync(join(folder, "log"), "utf8")).toBe(`${folder} ${test.path}\n`);
    expect(output).toEqual(["done\n"]);
    await give({ setup: "echo again >> log" });
    expect(readFileSync(join(folder, "log"), "utf8")).toContain("again");
  });

  it("does not see the secrets of the process that started it", async () => {
    const { test, folder, give } = await worktree();
    await give({ setup: "env > seen", env: { ...test.env, API_TOKEN: "secret" } });
    expect(readFileSync(join(folder, "seen"), "utf8")).not.toContain("secret");
  });

  it("reports why it failed, and runs again", async () => {
    const { folder, give } = await worktree();
    const setup = "echo started >> log; echo no network >&2; exit 3";
    await expect(give({ setup })).rejects.toThrow(/exit code 3: .*\nno network$/s);
    await expect(give({ setup })).rejects.toThrow("exit code 3");
    expect(readFileSync(join(folder, "log"), "utf8")).toBe("started\nstarted\n");
  });

  it("leaves no process running, not even one in its own session", async () => {
    const { folder, give } = await worktree();
    const setup =
      "setsid sh -c 'echo $$ > child; exec sleep 1000' & while ! test -s child; do :; done";
    await give({ setup });
    expect(startTimeOf(Number(readFileSync(join(folder, "child"), "utf8")))).toBeUndefined();
  });

  it("counts as not run when it is stopped", async () => {
    const { folder, give } = await worktree();
    const setup = "echo started >> log; test -e ../../quick || sleep 1000";
    const stop = new AbortController();
    const stopped = give({ setup, stop: stop.signal });
    // The shell creates the file before it writes to it.
    await expect.poll(() => readTextIfThere(join(folder, "log"))).toBe("started\n");
    stop.abort();
    await expect(stopped).rejects.toMatchObject({ code: "stopped" });
    writeFileSync(join(folder, "../../quick"), "");
    await give({ setup });
    expect(readFileSync(join(folder, "log"), "utf8")).toBe("started\nstarted\n");
  });

  it("is killed with its children when it does not finish", async () => {
    const { folder, give } = await worktree();
    const setup = "sleep 1000 & echo $! > child; wait";
    await expect(give({ setup, setupTimeoutMs: 500 })).rejects.toThrow(
      "did not finish within 0.5 s",
    );
    expect(startTimeOf(Number(readFileSync(join(folder, "child"), "utf8")))).toBeUndefined();
  });
});
