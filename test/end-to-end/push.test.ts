// A story's branch on its way to the remote: from where an address counts, and what a failed push leads to.

import { execFileSync } from "node:child_process";
import { existsSync, renameSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ONE_TASK, saga, workWithoutClaude } from "../support/finished-stage.ts";
import { anEpic } from "../support/project.ts";
import { newStage, STORY, type Stage } from "../support/stage.ts";
import { expectExit } from "../support/expect-exit.ts";

const ALWAYS = '[git]\npush = "always"\n';

/** With a remote beside the project, at the address that the guide uses. */
async function stageWithRemote(more: Record<string, unknown> = {}): Promise<Stage> {
  const stage = await newStage({ tasks: ONE_TASK, config: ALWAYS, story: more });
  execFileSync("git", ["init", "--quiet", "--bare", join(stage.path, "../notes.git")]);
  stage.git("remote", "add", "origin", "../notes.git");
  stage.git("push", "--quiet", "origin", "main");
  return stage;
}

const remoteTip = (stage: Stage, branch: string): string =>
  stage.git("ls-remote", "origin", `refs/heads/${branch}`).slice(0, 40);

/** The remote is away, and comes back. */
const moveAway = ({ path }: Stage): void =>
  renameSync(join(path, "../notes.git"), join(path, "../away.git"));
const bringBack = ({ path }: Stage): void =>
  renameSync(join(path, "../away.git"), join(path, "../notes.git"));

it("a relative address counts from the repository, not from the story's worktree", async () => {
  const stage = await stageWithRemote();
  await expectExit(0, stage.work());
  expect(remoteTip(stage, `story/${STORY}`)).toBe(stage.git("rev-parse", `story/${STORY}`));
  expect((await stage.store.listRuns(STORY))[0]).toMatchObject({ outcome: "done" });
});

it("`saga clean` keeps the worktree of a pushed story in review, and its state", async () => {
  const stage = await stageWithRemote();
  await workWithoutClaude(stage, 0);
  const shown = async (): Promise<unknown> => [
    (await saga(stage, "list", "--json")).json()["stories"],
    (await saga(stage, "status", "--json")).json()["needsYou"],
  ];
  const before = await shown();
  const kept = `kept  ${stage.worktree}: its story is not merged (review).\n`;
  expect((await saga(stage, "clean", "--dry-run")).stdout).toBe(kept);
  for (const time of ["first", "second"]) {
    expect((await saga(stage, "clean")).stdout, time).toBe(kept);
    expect(await shown(), time).toEqual(before);
  }
  await expectExit(0, saga(stage, "merge", STORY));
  expect(existsSync(stage.worktree)).toBe(false);
});

describe("the branch of a merged story at the remote", () => {
  const remoteGit = (stage: Stage, ...words: string[]): string =>
    stage.git("-C", "../notes.git", ...words);

  async function reviewed(): Promise<Stage> {
    const stage = await stageWithRemote();
    await workWithoutClaude(stage, 0);
    expect(remoteTip(stage, `story/${STORY}`)).toBe(stage.git("rev-parse", `story/${STORY}`));
    return stage;
  }

  it("is deleted with the branch here, and its commits stay in the record of the merge", async () => {
    const stage = await reviewed();
    const tip = stage.git("rev-parse", `story/${STORY}`);
    const merged = await saga(stage, "merge", STORY, "--json");
    expect(merged.json()).toMatchObject({ kind: "merged", warnings: [] });
    expect(remoteGit(stage, "branch", "--list", "story/*")).toBe("");
    expect(stage.git("branch", "--all", "--list", "*story/*")).toBe("");
    expect(stage.git("rev-list", `refs/saga/merged/${STORY}`)).toContain(tip);
    expect((await saga(stage, "clean", "--json")).json()).toMatchObject({ removed: [], left: [] });
  });

  it("stays where the remote refuses, which a line reports, and `saga clean` tries again", async () => {
    const stage = await reviewed();
    remoteGit(stage, "config", "receive.denyDeletes", "true");
    for (const time of ["first", "again"]) {
      const merged = await saga(stage, "merge", STORY);
      expect([time, merged.exitCode]).toEqual([time, 0]);
      expect(merged.stdout).toMatch(
        new RegExp(
          `^origin still has story/${STORY}: .+ \`saga clean\` tries again to delete it.$`,
          "m",
        ),
      );
    }
    expect((await saga(stage, "clean")).stdout).toContain(
      `kept  origin still has story/${STORY}: `,
    );
    remoteGit(stage, "config", "receive.denyDeletes", "false");
    const removed = [`branch origin/story/${STORY}`];
    for (const words of [["--dry-run"], []]) {
      const cleaned = (await saga(stage, "clean", "--json", ...words)).json();
      expect(cleaned).toMatchObject({ removed, left: [] });
    }
    expect(remoteTip(stage, `story/${STORY}`)).toBe("");
    expect((await saga(stage, "clean")).stdout).toBe("Nothing to clean.\n");
  });

  it("stays when others have pushed to it, and cleaning works when the remote is away", async () => {
    const stage = await reviewed();
    const tip = stage.git("rev-parse", `story/${STORY}`);
    const more = stage.git("commit-tree", "-p", tip, "-m", "more", `${tip}^{tree}`);
    stage.git("push", "--quiet", "../notes.git", `${more}:refs/heads/story/${STORY}`);
    const merged = await saga(stage, "merge", STORY);
    expect([merged.exitCode, merged.stdout]).toEqual([
      0,
      expect.stringContaining(
        `origin still has story/${STORY}: it has commits that were not merged`,
      ),
    ]);
    expect(remoteTip(stage, `story/${STORY}`)).toBe(more);
    moveAway(stage);
    const cleaned = await saga(stage, "clean");
    expect([cleaned.exitCode, cleaned.stdout]).toEqual([
      0,
      expect.stringContaining("kept  The branches of origin could not be read: "),
    ]);
  });
});

describe("a push that failed", () => {
  async function unpushed(): Promise<Stage> {
    const stage = await stageWithRemote();
    moveAway(stage);
    await workWithoutClaude(stage, 5);
    return stage;
  }

  it("is shown by the run, status and show, with what to do", async () => {
    const stage = await unpushed();
    const [run] = await stage.store.listRuns(STORY);
    expect(run).toMatchObject({ outcome: "push-failed" });
    expect(run?.pushError).toContain(`origin rejected story/${STORY}`);
    const status = await saga(stage, "status");
    expect(status.stdout).toMatch(new RegExp(`${STORY} +push failed +saga push ${STORY}\n`));
    const show = await saga(stage, "show", STORY);
    expect(show.stdout).toMatch(/Push +failed: origin rejected/);
    expect(show.stdout).toContain("push-failed");
    expect((await saga(stage, "list", "--json")).json()["stories"]).toMatchObject([
      { state: "review", pushError: expect.stringContaining("origin") as string },
    ]);
  });

  it("is retried by `saga push`, and then resolved", async () => {
    const stage = await unpushed();
    const refused = await saga(stage, "push", STORY);
    expect([refused.exitCode, refused.stderr]).toEqual([
      1,
      expect.stringContaining(`origin rejected story/${STORY}`),
    ]);
    bringBack(stage);
    const pushed = await saga(stage, "push", STORY);
    expect([pushed.exitCode, pushed.stdout]).toEqual([
      0,
      expect.stringContaining(`✓ Pushed story/${STORY} to origin\n`),
    ]);
    expect(remoteTip(stage, `story/${STORY}`)).toBe(stage.git("rev-parse", `story/${STORY}`));
    expect((await stage.store.listRuns(STORY))[0]).toMatchObject({ outcome: "done" });
    expect((await saga(stage, "status")).stdout).toContain(`review  saga show ${STORY}`);
  });

  it("is not hidden by a person's approval, and is retried by the next run", async () => {
    const stage = await unpushed();
    expect((await saga(stage, "accept", STORY)).exitCode).toBe(0);
    expect((await saga(stage, "status")).stdout).toContain(`saga push ${STORY}`);
    bringBack(stage);
    expect((await stage.work()).exitCode).toBe(0);
    expect((await saga(stage, "status")).stdout).not.toContain("saga push");
    expect(remoteTip(stage, `story/${STORY}`)).toBe(stage.git("rev-parse", `story/${STORY}`));
  });

  it("is retried by a merge", async () => {
    const stage = await unpushed();
    bringBack(stage);
    const tip = stage.git("rev-parse", `story/${STORY}`);
    await expectExit(0, saga(stage, "merge", STORY));
    // The merge deletes the branch there again; the commit has arrived.
    expect(stage.git("-C", "../notes.git", "cat-file", "-t", tip)).toBe("commit");
    expect(remoteTip(stage, `story/${STORY}`)).toBe("");
  });
});

it("an epic's run does not call a story done that was not pushed", async () => {
  const stage = await stageWithRemote({ epic: "shop" });
  stage.write(".saga/epics/shop/epic.json", anEpic("shop", [{ id: STORY, blockedBy: [] }]));
  moveAway(stage);
  const ended = await stage.run("epic", "run", "shop");
  expect(ended.exitCode, ended.stderr).not.toBe(0);
  expect(ended.stdout).not.toContain("All stories of shop are completed.");
  expect(ended.stdout).toMatch(new RegExp(`${STORY} +push failed +saga push ${STORY}\n`));
});

it("a repository without a remote has nothing to push to", async () => {
  const stage = await newStage({ tasks: ONE_TASK });
  await workWithoutClaude(stage, 0);
  const { exitCode, stderr } = await saga(stage, "push", STORY);
  expect([exitCode, stderr]).toEqual([
    1,
    expect.stringContaining("Cannot push: this repository has no remote"),
  ]);
});
