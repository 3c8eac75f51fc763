import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { wholeDisk } from "../../../test/support/refused.ts";
import {
  killedAtCalls,
  newRepository,
  prepare,
  STORY,
  type TestRepository,
} from "../../../test/support/repository.ts";
import { openGit, type Git } from "../../machine/programs/git.ts";
import { readSnapshots, reasonOf, saveSnapshot, snapshotChanges } from "./snapshot.ts";
import { listSnapshots } from "../rescue/restore.ts";

async function worktree(): Promise<{
  test: TestRepository;
  folder: string;
  gitDir: string;
  git: Git;
}> {
  const test = newRepository();
  const { folder, gitDir } = await prepare(test);
  test.gitIn(folder, "add", "--all");
  test.gitIn(folder, "commit", "--quiet", "--message=start");
  return { test, folder, gitDir, git: openGit(folder, test.env) };
}

const snapshot = (git: Git, exclude: readonly string[] = []) =>
  snapshotChanges({ git, storyId: STORY, why: "for a test", exclude });

describe("a snapshot", () => {
  it("holds both kinds of line ends, even with core.safecrlf set", async () => {
    const { test, folder, git } = await worktree();
    test.git("config", "core.autocrlf", "input");
    test.git("config", "core.safecrlf", "true");
    writeFileSync(join(folder, "new"), "one\r\ntwo\n");
    const saved = await snapshot(git);
    expect(test.git("show", `${saved?.ref}:new`)).toContain("two");
  });

  it("holds everything except ignored files, and changes nothing", async () => {
    const { test, folder, gitDir, git } = await worktree();
    const binary = Buffer.from([0, 255, 1, 254]);
    writeFileSync(join(folder, ".gitignore"), "ignored\n");
    writeFileSync(join(folder, "ignored"), "ignored\n");
    writeFileSync(join(folder, "read me.txt"), "changed\n");
    rmSync(join(folder, "src/main.ts"));
    writeFileSync(join(folder, "binary"), binary);
    writeFileSync(join(folder, "run"), "#!/bin/sh\n");
    chmodSync(join(folder, "run"), 0o755);
    symlinkSync("nowhere", join(folder, "link"));
    writeFileSync(join(folder, `odd "name"\n\tü`), "odd\n");
    writeFileSync(join(folder, "both"), "staged\n");
    test.gitIn(folder, "add", "both");
    writeFileSync(join(folder, "both"), "later\n");
    mkdirSync(join(folder, "empty"));
    const files = wholeDisk(folder);
    const index = readFileSync(join(gitDir, "index"));
    const saved = await snapshot(git);
    expect(saved).toMatchObject({ number: 1, ref: `refs/saga/keep/${STORY}/1` });
    expect(saved?.addError).toBeUndefined();
    expect(wholeDisk(folder)).toBe(files);
    expect(readFileSync(join(gitDir, "index")).equals(index)).toBe(true);
    expect(readdirSync(gitDir).filter((name) => name.startsWith("saga-index"))).toEqual([]);

    const ref = saved?.ref ?? "";
    expect(test.git("show", `${ref}:both`)).toBe("later");
    expect(test.git("show", `${ref}^2:both`)).toBe("staged");
    expect(test.git("rev-parse", `${ref}^1`)).toBe(test.gitIn(folder, "rev-parse", "HEAD"));
    expect(test.git("diff", "--name-status", "-z", `${ref}^1`, ref).split("\0")).toEqual(
      [
        ["A", ".gitignore"],
        ["A", "binary"],
        ["A", "both"],
        ["A", "link"],
        ["A", `odd "name"\n\tü`],
        ["M", "read me.txt"],
        ["A", "run"],
        ["D", "src/main.ts"],
        [""],
      ].flat(),
    );
    expect(test.git("ls-tree", ref, "run", "link")).toMatch(/^120000 .*\tlink\n100755 .*\trun$/);
  });

  it("is not taken of a clean worktree, nor twice of the same content", async () => {
    const { test, folder, git } = await worktree();
    expect(await snapshot(git)).toBeUndefined();
    writeFileSync(join(folder, "new"), "new\n");
    expect((await snapshot(git))?.number).toBe(1);
    expect(await snapshot(git)).toBeUndefined();
    test.gitIn(folder, "add", "new");
    expect((await snapshot(git))?.number).toBe(2);
    expect(await snapshot(git)).toBeUndefined();
    test.gitIn(folder, "commit", "--quiet", "--allow-empty", "--only", "--message=moved on");
    expect((await snapshot(git))?.number).toBe(3);
  });

  it("is taken of what is only staged", async () => {
    const { test, folder, git } = await worktree();
    writeFileSync(join(folder, "read me.txt"), "staged\n");
    test.gitIn(folder, "add", "--all");
    writeFileSync(join(folder, "read me.txt"), "hello\n");
    const saved = await snapshot(git);
    expect(test.git("show", `${saved?.commit}^2:read me.txt`)).toBe("staged");
  });

  it("is taken in the middle of a merge", async () => {
    const { test, folder, git } = await worktree();
    writeFileSync(join(folder, "read me.txt"), "here\n");
    test.gitIn(folder, "commit", "--quiet", "--all", "--message=here");
    test.write("read me.txt", "there\n");
    test.git("commit", "--quiet", "--all", "--message=there");
    expect(() => test.gitIn(folder, "merge", "main")).toThrow("Command failed");
    const status = test.gitIn(folder, "status", "--porcelain");
    const saved = await snapshot(git);
    expect(test.git("show", `${saved?.ref}:read me.txt`)).toContain("<<<<<<<");
    expect(test.gitIn(folder, "status", "--porcelain")).toBe(status);
  });

  it("is taken while another git holds the index", async () => {
    const { test, folder, gitDir, git } = await worktree();
    writeFileSync(join(gitDir, "index.lock"), "");
    writeFileSync(join(folder, "new"), "new\n");
    expect(test.git("show", `${(await snapshot(git))?.ref}:new`)).toBe("new");
    expect(existsSync(join(gitDir, "index.lock"))).toBe(true);
  });

  it("sees a change of the same length in the second of git's last look", async () => {
    const { test, folder, git } = await worktree();
    writeFileSync(join(folder, "read me.txt"), "aaaa\n");
    test.gitIn(folder, "commit", "--quiet", "--all", "--message=a");
    writeFileSync(join(folder, "read me.txt"), "bbbb\n");
    const second = Math.floor(Date.now() / 1000);
    await vi.waitUntil(() => Math.floor(Date.now() / 1000) > second, { timeout: 2_000 });
    expect(test.git("show", `${(await snapshot(git))?.ref}:read me.txt`)).toBe("bbbb");
  });

  it("leaves provisioned files out", async () => {
    const { folder, git } = await worktree();
    writeFileSync(join(folder, ".env"), "secret\n");
    expect(await snapshot(git, [".env"])).toBeUndefined();
  });

  it("saves the rest when one file cannot be saved, and names that file", async () => {
    const { test, folder, git } = await worktree();
    mkdirSync(join(folder, "inner"));
    test.gitIn(join(folder, "inner"), "init", "--quiet");
    writeFileSync(join(folder, "new"), "new\n");
    expect((await snapshot(git))?.addError).toContain("inner/");
  });

  it("gets its own number when many are taken at once", async () => {
    const { folder, git } = await worktree();
    const numbers: (number | undefined)[] = [];
    for (let round = 0; round < 3; round++) {
      writeFileSync(join(folder, "new"), `${round}\n`);
      const saved = await Promise.all(Array.from({ length: 5 }, () => snapshot(git)));
      numbers.push(...saved.map((one) => one?.number));
    }
    const created = numbers.filter((number) => number !== undefined);
    expect(new Set(created).size).toBe(created.length);
    expect(await listSnapshots(git, STORY)).toHaveLength(created.length);
  });

  it("is complete or absent, wherever it was killed", async () => {
    const calls = await killedAtCalls(async (dying) => {
      const { test, folder, git } = await worktree();
      writeFileSync(join(folder, "new"), "new\n");
      test.gitIn(folder, "add", "new");
      writeFileSync(join(folder, "new"), "newer\n");
      const status = test.gitIn(folder, "status", "--porcelain");
      try {
        await snapshot(dying(git), [".env"]);
      } finally {
        await snapshot(git, [".env"]);
        const snapshots = await listSnapshots(git, STORY);
        expect(snapshots).toHaveLength(1);
        expect(test.git("show", `${snapshots[0]?.ref}:new`)).toBe("newer");
        expect(test.git("show", `${snapshots[0]?.ref}^2:new`)).toBe("new");
        expect(test.gitIn(folder, "status", "--porcelain")).toBe(status);
      }
    });
    expect(calls).toBeGreaterThan(8);
  });
});

describe("the reason of a snapshot", () => {
  it("is kept beside the words for people", async () => {
    const { git } = await worktree();
    const head = await git.ask(["rev-parse", "HEAD"]);
    const parts = { storyId: STORY, head, tree: `${head}^{tree}`, index: undefined };
    await saveSnapshot(git, { ...parts, why: "anything", reason: "discarded" });
    await saveSnapshot(git, { ...parts, why: "anything" });
    const saved = await readSnapshots(git, STORY);
    expect(saved.map(({ number, why, reason }) => ({ number, why, reason }))).toEqual([
      { number: 1, why: "anything", reason: "discarded" },
      { number: 2, why: "anything", reason: undefined },
    ]);
  });

  it.each([
    ["Saga-Story: x\n", undefined],
    ["Saga-Story: x\nSaga-Reason: discarded\n", "discarded"],
    ["Saga-Reason: discarded by hand\n", undefined],
  ])("of the body %j is %s", (body, reason) => {
    expect(reasonOf(body)).toBe(reason);
  });
});
