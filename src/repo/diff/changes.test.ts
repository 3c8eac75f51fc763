import { execFileSync } from "node:child_process";
import { chmodSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  addedIn,
  start,
  text,
  type ChangedRepository,
} from "../../../test/support/changed-repository.ts";
import type { Git } from "../../machine/programs/git.ts";
import { readChanges, readCommitChanges, type DiffEntry } from "./changes.ts";

async function changesOf({ git, commit }: ChangedRepository): Promise<readonly DiffEntry[]> {
  const to = commit();
  return (await readChanges(git, "HEAD~", to)).files;
}

describe("the changes between two commits", () => {
  it("say how each file changed, and by how much", async () => {
    const changed = start();
    const { repository } = changed;
    repository.write("stays", text(50));
    repository.write("goes", text(3));
    repository.write("old name", text(50, "x"));
    changed.commit();
    const before = repository.git("rev-parse", "HEAD");
    repository.write("stays", `${text(49)}another\nand more\n`);
    repository.write("new", "a\nb");
    rmSync(join(repository.path, "goes"));
    repository.git("mv", "old name", "new name");
    chmodSync(join(repository.path, "src/main.ts"), 0o755);
    const { files, filesBefore } = await readChanges(changed.git, before, changed.commit());
    const facts = { isBinary: false, from: undefined, linkTarget: undefined };
    const file = { kind: "file", isExecutable: false };
    expect(files).toMatchObject([
      {
        path: "goes",
        status: "deleted",
        addedLines: 0,
        deletedLines: 3,
        bytes: 0,
        after: undefined,
      },
      { ...facts, path: "new", status: "added", addedLines: 2, bytes: 3, before: undefined },
      { path: "new name", status: "renamed", from: "old name", addedLines: 0, before: file },
      { ...facts, path: "src/main.ts", status: "modified", after: { isExecutable: true } },
      { ...facts, path: "stays", status: "modified", addedLines: 2, deletedLines: 1 },
    ]);
    const listed = changed.repository.git("ls-tree", "-r", "--name-only", before).split("\n");
    expect(filesBefore).toBe(listed.length);
    expect(listed).toContain("old name");
  });

  it("are empty between a commit and itself", async () => {
    const { git } = start();
    expect(await readChanges(git, "HEAD", "HEAD")).toEqual({ files: [], filesBefore: undefined });
  });

  it.each([
    "with space",
    "tab\there",
    "line\nbreak",
    'quo"te',
    "-rf",
    "--output=x",
    ":(exclude)a",
    ":0",
    "1\t2\tthree",
    "ünï/cödé ☃",
    "a\\b",
    "*",
    "[id]/(x)/$y",
    "\u001b[31mred",
  ])("hold the file %j by its own name", async (name) => {
    const changed = start();
    changed.repository.write(`${name} old`, text(30, "y"));
    changed.commit();
    changed.repository.write(name, "one\n");
    changed.repository.git("mv", "--", `${name} old`, `${name} new`);
    const files = await changesOf(changed);
    expect(files.map(({ path, from, addedLines }) => [path, from, addedLines])).toEqual(
      expect.arrayContaining([
        [name, undefined, 1],
        [`${name} new`, `${name} old`, 0],
      ]),
    );
    expect(files).toHaveLength(2);
    expect(await addedIn(changed.git, "HEAD~", "HEAD")).toEqual({ [name]: "one\n" });
  });

  it("contain names that are not valid text, each with its line counts", async () => {
    const changed = start();
    const blob = (lines: number): string =>
      execFileSync("git", ["hash-object", "-w", "--stdin"], {
        cwd: changed.repository.path,
        env: changed.repository.env,
        input: text(lines),
        encoding: "utf8",
      }).trim();
    const entry = (name: number[], lines: number): Buffer =>
      Buffer.concat([Buffer.from(`100644 blob ${blob(lines)}\t`), Buffer.from([...name, 0])]);
    const tree = execFileSync("git", ["mktree", "-z"], {
      cwd: changed.repository.path,
      env: changed.repository.env,
      input: Buffer.concat([entry([0x61, 0xfe], 4), entry([0x61, 0xff], 7)]),
      encoding: "utf8",
    }).trim();
    const { files } = await readChanges(
      changed.git,
      changed.repository.git("mktree", "--missing"),
      tree,
    );
    expect(files.map(({ path, addedLines }) => [path, addedLines])).toEqual([
      ["a\udcfe", 4],
      ["a\udcff", 7],
    ]);
  });

  it("contain symlinks with their targets, also in place of a file", async () => {
    const changed = start();
    const { path } = changed.repository;
    symlinkSync("../out\nside", join(path, "link"));
    rmSync(join(path, "read me.txt"));
    symlinkSync("src", join(path, "read me.txt"));
    // A file with the same content as the link has.
    changed.repository.write("not a link", "src");
    expect(await changesOf(changed)).toMatchObject([
      { path: "link", status: "added", linkTarget: "../out\nside", after: { kind: "link" } },
      { path: "not a link", linkTarget: undefined, after: { kind: "file" } },
      { path: "read me.txt", status: "type-changed", linkTarget: "src", before: { kind: "file" } },
    ]);
  });

  it("contain submodules, also those with ignore set", async () => {
    const changed = start();
    const { repository } = changed;
    const commit = repository.git("rev-parse", "HEAD");
    repository.write(".gitmodules", '[submodule "m"]\n\tpath = m\n\turl = ./x\n\tignore = all\n');
    repository.git("update-index", "--add", "--cacheinfo", `160000,${commit},m`);
    repository.git("add", ".gitmodules");
    repository.git("commit", "--quiet", "--message=module");
    const { files } = await readChanges(changed.git, "HEAD~", "HEAD");
    expect(files.find(({ path }) => path === "m")).toMatchObject({
      status: "added",
      bytes: 0,
      after: { kind: "submodule", id: commit },
    });
  });

  it("tell binary files from text that an attribute calls binary", async () => {
    const changed = start();
    const { repository } = changed;
    repository.write(".gitattributes", "*.ts binary\n*.bin diff\n");
    repository.write("real", "a\0b");
    repository.write("claimed.ts", "one\ntwo");
    expect(await changesOf(changed)).toMatchObject([
      { path: ".gitattributes" },
      { path: "claimed.ts", isBinary: false, addedLines: 2, bytes: 7 },
      { path: "real", isBinary: true, addedLines: 0, bytes: 3 },
    ]);
    expect(Object.keys(await addedIn(changed.git, "HEAD~", "HEAD"))).toEqual([
      ".gitattributes",
      "claimed.ts",
    ]);
  });

  it("are those of the real objects, despite git replace", async () => {
    const changed = start();
    const { repository } = changed;
    repository.write("secret", "the truth\n");
    changed.commit();
    repository.write("harmless", "nothing\n");
    changed.commit();
    repository.git(
      "replace",
      repository.git("rev-parse", "HEAD:secret"),
      repository.git("rev-parse", "HEAD:harmless"),
    );
    expect(repository.git("cat-file", "blob", "HEAD:secret")).toBe("nothing");
    expect(await addedIn(changed.git, "HEAD~2", "HEAD~")).toEqual({ secret: "the truth\n" });
  });

  it("do not depend on the user's git settings", async () => {
    const changed = start();
    for (const setting of ["diff.renames", "diff.noprefix", "color.ui"]) {
      changed.repository.git("config", setting, setting === "color.ui" ? "always" : "false");
    }
    changed.repository.git("mv", "src/main.ts", "src/other.ts");
    expect(await changesOf(changed)).toMatchObject([{ status: "renamed", from: "src/main.ts" }]);
  });

  it("are an error when git fails", async () => {
    const { git } = start();
    await expect(readChanges(git, "HEAD", "nowhere")).rejects.toThrow(/git diff-tree failed/);
  });

  it("are an error when git's output is cut off", async () => {
    const { git } = start();
    for (const output of [
      "0644 x A\0a\0",
      ":100644 100644 a b X\0a\0",
      ":100644 100644 a b M\0a\0",
      "1\t0\ta\0",
    ]) {
      const cut: Git = { ...git, ask: async () => output };
      await expect(readChanges(cut, "a", "b"), output).rejects.toThrow(/too long/);
    }
  });
});

describe("what each commit changed", () => {
  it("is read in one call, with the commit, without empty commits", async () => {
    const changed = start();
    const { repository, git } = changed;
    repository.write("odd\nname\t", "one\n");
    const first = changed.commit();
    repository.git("commit", "--quiet", "--allow-empty", "--message=nothing");
    const second = repository.git("rev-parse", "HEAD");
    // A name that could pass for the next commit's id.
    repository.write(second, "two\n");
    repository.git("mv", "src/main.ts", "src/other.ts");
    const third = changed.commit();
    const each = await readCommitChanges(git, [first, second, third]);
    expect(each).toMatchObject([
      { commit: first, path: "odd\nname\t", status: "added", addedLines: 1 },
      { commit: third, path: second, status: "added" },
      { commit: third, path: "src/other.ts", status: "renamed", from: "src/main.ts" },
    ]);
    const alone = [first, third].map(async (commit) =>
      (await readChanges(git, `${commit}^`, commit)).files.map((file) => ({ ...file, commit })),
    );
    expect(each).toEqual((await Promise.all(alone)).flat());
    expect(await readCommitChanges(git, [])).toEqual([]);
  });

  it("is everything for the first commit of a history", async () => {
    const { repository, git } = start();
    repository.git("checkout", "--quiet", "--orphan", "unrelated");
    repository.git("rm", "--quiet", "-r", "--cached", ".");
    repository.write("new", "one\ntwo\n");
    repository.git("add", "new");
    repository.git("commit", "--quiet", "--message=first");
    const commit = repository.git("rev-parse", "HEAD");
    expect(await readCommitChanges(git, [commit])).toMatchObject([
      { commit, path: "new", status: "added", addedLines: 2, bytes: 8 },
    ]);
  });

  it("is read in smaller parts when git's output is cut off, and is an error when one commit is too long", async () => {
    const changed = start();
    const commits = ["a", "b", "c"].map((name) => {
      changed.repository.write(name, `${name}\n`);
      return changed.commit();
    });
    const counts: number[] = [];
    const cutting = (most: number): Git => ({
      ...changed.git,
      async ask(args, options) {
        const output = await changed.git.ask(args, options);
        if (!args.includes("--stdin")) return output;
        const count = String(options?.input).trim().split("\n").length;
        counts.push(count);
        // After a whole commit: that the others are missing must be seen all the same.
        return count > most ? output.slice(0, output.indexOf(commits[1] ?? "")) : output;
      },
    });
    const files = (await readCommitChanges(cutting(1), commits)).map(({ path }) => path);
    expect(files).toEqual(["a", "b", "c"]);
    expect(counts).toEqual([3, 2, 1, 1, 1]);
    const cut: Git = { ...changed.git, ask: async () => `${commits[0]}\0:100644 10` };
    await expect(readCommitChanges(cut, commits)).rejects.toThrow(/too long/);
  });
});
