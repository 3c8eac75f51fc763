// Repositories as they are found: names in latin-1, commits in another encoding.

import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { decodeBytes, diskPath, listRawNames } from "../../src/machine/files/raw-bytes.ts";
import { saga } from "../support/finished-stage.ts";
import { aTask } from "../support/project.ts";
import { expectNothingLeft, newStage, STORY, type Stage } from "../support/stage.ts";
import { expectExit } from "../support/expect-exit.ts";

const latin = (text: string): string => decodeBytes(Buffer.from(text, "latin1"));
/** As a shell makes it. */
const CAFE = String.raw`"$(printf 'caf\351')"`;

/** The target has such a name already; a person's checkout is elsewhere. */
async function withLatinName(
  form: string,
  more: Parameters<typeof newStage>[0] = {},
): Promise<Stage> {
  const stage = await newStage({
    tasks: [aTask("form")],
    steps: { form: [{ run: form }] },
    config: '[git]\nbase = "main"\n',
    ...more,
  });
  writeFileSync(diskPath(join(stage.path, latin("na\xefve.txt"))), "one\ntwo\nthree\n");
  stage.git("add", "--", "na*.txt");
  stage.git("commit", "--quiet", "--message=Second");
  stage.git("switch", "--quiet", "--create", "elsewhere");
  return stage;
}

const scratches = (stage: Stage): string[] =>
  readdirSync(join(stage.path, ".saga/worktrees")).filter((name) => name !== STORY);

describe("a file name that is not UTF-8", () => {
  it("is committed, verified, merged and cleaned up like any other", async () => {
    const stage = await withLatinName(`echo new > ${CAFE}.txt; echo four >> na*ve.txt`);
    await expectExit(0, stage.work());
    for (const words of [["verify"], ["merge"]]) {
      await expectExit(0, saga(stage, ...words, STORY));
      expect(scratches(stage)).toEqual([]);
    }
    expect(stage.git("ls-tree", "--name-only", "main")).toContain(String.raw`"caf\351.txt"`);
    await expectExit(0, saga(stage, "clean"));
    expect(existsSync(stage.worktree)).toBe(false);
    expect((await saga(stage, "show", STORY)).exitCode).toBe(0);
    await expectNothingLeft(stage);
  });

  it("on the target does not disturb other stories, also if both change it", async () => {
    const stage = await withLatinName("echo 1 > na*ve.txt");
    await expectExit(0, stage.work());
    stage.git("switch", "--quiet", "main");
    writeFileSync(diskPath(join(stage.path, latin("na\xefve.txt"))), "other\n");
    stage.git("commit", "--quiet", "--all", "--message=Another");
    stage.git("switch", "--quiet", "-C", "elsewhere");
    const conflict = await saga(stage, "merge", STORY, "--json");
    expect(conflict.json()).toMatchObject({ kind: "conflict", taskId: "resolve-conflict" });
    expect(scratches(stage)).toEqual([]);
  });

  it("is in the snapshot of a discarded story, and is restored with it", async () => {
    const stage = await withLatinName(`echo new > ${CAFE}.txt`);
    await expectExit(0, stage.work());
    writeFileSync(diskPath(join(stage.worktree, latin("t\xeate.txt"))), "not committed\n");
    await expectExit(0, saga(stage, "discard", STORY, "--yes"));
    expect(existsSync(stage.worktree)).toBe(false);
    await expectExit(0, saga(stage, "keep", "restore", STORY, "1"));
    expect(listRawNames(stage.worktree)).toContain(latin("t\xeate.txt"));
  });

  it("that a story may not add is named in the finding", async () => {
    const stage = await withLatinName(`echo new > ${CAFE}.txt; echo new > allowed.txt`, {
      story: { writeFiles: ["allowed.txt"] },
    });
    const ended = await stage.work();
    expect(ended.exitCode).not.toBe(0);
    expect((await saga(stage, "show", STORY)).stdout).toContain(String.raw`caf\xe9.txt`);
  });
});

describe("a repository whose commits are in another encoding", () => {
  it.each(["ISO-8859-1", "UTF-16"])("(%s) gets its stories merged", async (encoding) => {
    const stage = await newStage({ tasks: [aTask("form", { subject: "Crème brûlée" })] });
    stage.git("config", "i18n.commitEncoding", encoding);
    stage.git("config", "i18n.logOutputEncoding", encoding);
    await expectExit(0, stage.work());
    stage.git(
      "-c",
      "i18n.commitEncoding=UTF-8",
      "commit",
      "--quiet",
      "--allow-empty",
      "--message=Zoë",
    );
    stage.git("switch", "--quiet", "--create", "elsewhere");
    const merged = await saga(stage, "merge", STORY, "--json");
    expect(merged.json()).toMatchObject({ kind: "merged" });
    const log = stage.git("-c", "i18n.logOutputEncoding=UTF-8", "log", "--format=%s", "main");
    expect(log).toContain("Crème brûlée");
  });
});
