import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  discard,
  everythingIn,
  leftInFlight,
  type InFlightStage,
} from "../../test/support/in-flight.ts";
import { wholeDisk } from "../../test/support/refused.ts";
import { addOrigin, killedAtCalls, newRepository, STORY } from "../../test/support/repository.ts";
import type { Git } from "../machine/programs/git.ts";
import { RUN_MARK } from "../story/definition/names.ts";
import { openStore } from "../store/file-store.ts";

async function expectDiscarded(stage: InFlightStage): Promise<void> {
  expect(existsSync(stage.folder)).toBe(false);
  expect(readdirSync(dirname(stage.folder))).toEqual([]);
  expect(stage.git("branch", "--list", "story/*")).toBe("");
  expect(stage.git("worktree", "list", "--porcelain")).not.toContain(STORY);
  expect(await stage.forge.find(`story/${STORY}`)).toMatchObject({ state: "closed", number: 1 });
  expect(existsSync(stage.taskList)).toBe(false);
  expect(await stage.store.leases.list()).toEqual([]);
  const { state, record } = await stage.store.viewStory(STORY);
  expect(state).toBe("ready");
  expect(record.tasks.map(({ status }) => status)).toEqual(["pending", "pending"]);
  expect(record.fields).toEqual({
    id: STORY,
    title: `Title of ${STORY}`,
    description: `What ${STORY} is about.`,
    mine: 1,
  });
  const { entries } = await stage.store.readJournal(STORY);
  expect(entries.map(({ kind }) => kind)).toEqual(["decision"]);
  expect(entries[0]?.title).toContain("was discarded: snapshot");
  expect((await stage.store.listRuns(STORY))[0]?.discardedAt).toBeDefined();
}

describe("a story that is discarded", () => {
  it("leaves only a snapshot, which restores every byte", async () => {
    const stage = await leftInFlight();
    const before = everythingIn(stage, stage.folder);
    const discarded = await discard(stage);
    expect(discarded).toMatchObject({
      isDone: true,
      snapshot: 1,
      worktree: stage.folder,
      branch: { name: `story/${STORY}`, commit: stage.tip },
      pullRequest: "local/1",
      left: [],
    });
    await expectDiscarded(stage);
    const restored = await stage.saga("keep", "restore", STORY, "1");
    expect(restored.stdout, restored.stderr).toContain(`branch story/${STORY} was restored too`);
    expect(everythingIn(stage, stage.folder)).toEqual(before);
    expect(stage.git("rev-parse", `story/${STORY}`)).toBe(stage.tip);
    expect((await stage.store.viewStory(STORY)).state).toBe("unfinished");
  });

  it.each([
    ["stashed for a rebase", "rebase-merge/autostash"],
    ["stashed for a merge", "MERGE_AUTOSTASH"],
    ["put on a ref of the worktree alone", "refs/worktree/mine"],
  ])("saves what only its git folder has: what was %s", async (_, name) => {
    const stage = await leftInFlight();
    const made = ["commit-tree", "-p", "HEAD", "-m", "only here", "HEAD^{tree}"];
    const only = stage.gitIn(stage.folder, ...made);
    if (name.startsWith("refs/")) stage.gitIn(stage.folder, "update-ref", name, only);
    else {
      const file = stage.gitIn(
        stage.folder,
        "rev-parse",
        "--path-format=absolute",
        "--git-path",
        name,
      );
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, `${only}\n`);
    }
    await discard(stage);
    expect(existsSync(stage.folder)).toBe(false);
    expect(stage.git("rev-list", "--all").split("\n")).toContain(only);
  });

  it("can be restored when everything was committed", async () => {
    const stage = await leftInFlight({ isDirty: false });
    const before = everythingIn(stage, stage.folder);
    expect(await discard(stage)).toMatchObject({ snapshot: 1 });
    await stage.saga("keep", "restore", STORY);
    expect(everythingIn(stage, stage.folder)).toEqual(before);
  });

  it("has nothing to discard when this is repeated, or when it was never started", async () => {
    const stage = await leftInFlight();
    await discard(stage);
    const after = wholeDisk(stage.path);
    expect(await discard(stage)).toMatchObject({ isDone: false, snapshot: 1 });
    expect(wholeDisk(stage.path)).toBe(after);
    const fresh = newRepository();
    const store = openStore(fresh.path);
    expect(await discard({ ...fresh, store })).toMatchObject({ isDone: false });
  });

  it("can be run, discarded and restored repeatedly", async () => {
    const stage = await leftInFlight();
    await discard(stage);
    await stage.saga("keep", "restore", STORY, "1");
    writeFileSync(join(stage.folder, "more"), "more\n");
    const before = everythingIn(stage, stage.folder);
    expect(await discard(stage)).toMatchObject({ snapshot: 2 });
    await stage.saga("keep", "restore", STORY, "2");
    expect(everythingIn(stage, stage.folder)).toEqual(before);
  });

  it("ends the processes of its dead worker, and no others", async () => {
    const stage = await leftInFlight();
    const [run] = await stage.store.listRuns(STORY);
    const start = (mark: string) =>
      spawn("sleep", ["60"], { env: { PATH: process.env["PATH"], [RUN_MARK]: mark } });
    const [left, other] = [start(run?.id ?? ""), start("another-run")];
    await Promise.all([once(left, "spawn"), once(other, "spawn")]);
    const ended = once(left, "exit");
    expect(await discard(stage)).toMatchObject({ processes: 1 });
    await ended;
    expect(other.exitCode).toBeNull();
    other.kill();
    await once(other, "exit");
  });

  it("saves every commit, whatever the worktree had checked out", async () => {
    const stage = await leftInFlight({ isDirty: false });
    stage.gitIn(stage.folder, "switch", "--quiet", "--detach", "main");
    stage.gitIn(stage.folder, "commit", "--quiet", "--allow-empty", "--message=stray");
    const stray = stage.gitIn(stage.folder, "rev-parse", "HEAD");
    const { snapshot } = await discard(stage);
    const saved = stage.git("rev-list", `--glob=refs/saga/keep/${STORY}/*`).split("\n");
    expect(saved).toEqual(expect.arrayContaining([stage.tip, stray]));
    expect(stage.git("rev-parse", `refs/saga/keep/${STORY}/${snapshot}^1`)).toBe(stray);
  });

  it("whose branch was deleted by hand is saved from the worktree's reflog", async () => {
    const stage = await leftInFlight();
    const before = everythingIn(stage, stage.folder);
    stage.git("update-ref", "-d", `refs/heads/story/${STORY}`);
    const { snapshot } = await discard(stage);
    await expectDiscarded(stage);
    await stage.saga("keep", "restore", STORY, String(snapshot));
    expect(everythingIn(stage, stage.folder)).toEqual(before);
  });

  it("whose worktree was removed by hand is saved from its branch", async () => {
    const stage = await leftInFlight();
    rmSync(stage.folder, { recursive: true });
    const discarded = await discard(stage);
    expect(discarded).toMatchObject({ worktree: undefined, branch: { commit: stage.tip } });
    await expectDiscarded(stage);
    await stage.saga("keep", "restore", STORY, String(discarded.snapshot));
    expect(stage.gitIn(stage.folder, "rev-parse", "HEAD")).toBe(stage.tip);
    expect(readFileSync(join(stage.folder, "form.ts"), "utf8")).toBe("form\n");
    // Staged files are saved too.
    const staged = stage.git("log", "--format=%s %D", `--glob=refs/saga/keep/${STORY}/*`);
    expect(staged).toContain("discarded: staged");
  });

  it("is copied back to the project when only its worktree has its definition", async () => {
    const stage = await leftInFlight();
    rmSync(join(stage.path, ".saga/stories", STORY), { recursive: true });
    await discard(stage);
    expect((await stage.store.viewStory(STORY)).state).toBe("ready");
  });

  it("can be discarded when its files are invalid", async () => {
    const stage = await leftInFlight();
    writeFileSync(join(stage.folder, ".saga/stories", STORY, "story.json"), "{ broken");
    const before = everythingIn(stage, stage.folder);
    await discard(stage);
    await expectDiscarded(stage);
    await stage.saga("keep", "restore", STORY, "1");
    expect(everythingIn(stage, stage.folder)).toEqual(before);
  });

  it("saves its definition even where git ignores it", async () => {
    const stage = await leftInFlight();
    writeFileSync(join(stage.path, ".git/info/exclude"), ".saga/\n");
    stage.gitIn(stage.folder, "rm", "--quiet", "-r", "--cached", ".saga");
    stage.gitIn(stage.folder, "commit", "--quiet", "--message=ignore");
    await stage.store.appendJournal(STORY, {
      kind: "decision",
      at: new Date().toISOString(),
      title: "Only here",
      body: "",
      blocker: undefined,
    });
    const { snapshot } = await discard(stage);
    const journal = `refs/saga/keep/${STORY}/${snapshot}:.saga/stories/${STORY}/journal.md`;
    expect(stage.git("show", journal)).toContain("Only here");
  });

  it("is removed from the remote when Saga pushes there, so that the next run does not find it", async () => {
    const stage = await leftInFlight();
    addOrigin(stage);
    stage.write(".saga/config.toml", '[git]\npush = "always"\n[forge]\nkind = "local"\n');
    stage.git("push", "--quiet", "origin", `story/${STORY}`);
    stage.git("fetch", "--quiet", "origin");
    expect(await discard(stage)).toMatchObject({ left: [] });
    expect(stage.git("ls-remote", "origin", "story/*")).toBe("");
    expect(stage.git("branch", "--remotes", "--list", "*/story/*")).toBe("");
  });

  it("names what is left at a remote that Saga does not push to, or that has changed", async () => {
    const stage = await leftInFlight();
    addOrigin(stage);
    stage.git("push", "--quiet", "origin", `story/${STORY}`);
    stage.git("fetch", "--quiet", "origin");
    const { left } = await discard(stage);
    expect(left.join()).toContain(`git push origin --delete story/${STORY}`);
    stage.write(".saga/config.toml", '[git]\npush = "always"\n[forge]\nkind = "local"\n');
    stage.git("push", "--quiet", "--force", "origin", `main:refs/heads/story/${STORY}`);
    stage.git("update-ref", `refs/remotes/origin/story/${STORY}`, stage.tip);
    expect((await discard(stage)).left.join()).toContain("origin still has");
    expect(stage.git("ls-remote", "origin", "story/*")).not.toBe("");
  });
});

it("gives the same result wherever it was killed between two git commands", async () => {
  const calls = await killedAtCalls(async (dying) => {
    const stage = await leftInFlight();
    const before = everythingIn(stage, stage.folder);
    try {
      await discard(stage, dying);
    } finally {
      const { snapshot } = await discard(stage);
      await expectDiscarded(stage);
      expect(snapshot).toBe(1);
      await stage.saga("keep", "restore", STORY);
      expect(everythingIn(stage, stage.folder)).toEqual(before);
    }
  });
  expect(calls).toBeGreaterThan(30);
});

it("saves a file that was written to the worktree at the last moment", async () => {
  const stage = await leftInFlight();
  let isSaved = false;
  const late = (git: Git): Git => ({
    ...git,
    at: (folder) => late(git.at(folder)),
    attempt: async (args, options) => {
      // The last command before the worktree is removed.
      if (args.includes("worktree") && args.includes("list") && existsSync(stage.folder)) {
        writeFileSync(join(stage.folder, "late"), "late\n");
        isSaved = true;
      }
      return git.attempt(args, options);
    },
    ask: async (args, options) => {
      const output = await git.ask(args, options);
      if (args.includes("ls-tree")) {
        writeFileSync(join(stage.folder, "late"), "late\n");
        isSaved = true;
      }
      return output;
    },
  });
  const { snapshot } = await discard(stage, late);
  expect({ isSaved, snapshot }).toEqual({ isSaved: true, snapshot: 2 });
  expect(stage.git("show", `refs/saga/keep/${STORY}/2:late`)).toBe("late");
});
