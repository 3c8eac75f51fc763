import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { leftInFlight, type InFlightStage } from "../../test/support/in-flight.ts";
import { anEpic, aStory, aTask } from "../../test/support/project.ts";
import { wholeDisk } from "../../test/support/refused.ts";
import { newRepository, prepare, STORY } from "../../test/support/repository.ts";
import { RUN_MARK } from "../story/definition/names.ts";
import { openStore } from "../store/file-store.ts";
import { readInFlight, type InFlight } from "./in-flight.ts";

const read = async (stage: Pick<InFlightStage, "store" | "open" | "env">) =>
  readInFlight(stage.store, await stage.open(), { env: stage.env });

async function only(stage: InFlightStage): Promise<InFlight> {
  const { stories } = await read(stage);
  expect(stories.map(({ storyId }) => storyId)).toEqual([STORY]);
  return stories[0] as InFlight;
}

it("commits on its epic's branch are not counted as the story's own", async () => {
  const stage = await leftInFlight({ isDirty: false });
  expect((await only(stage)).branch).toMatchObject({ commits: 2, target: "main" });
  const epic = { ...anEpic("shop", [{ id: STORY, blockedBy: [] }]), delivery: "epic-branch" };
  stage.write(".saga/epics/shop/epic.json", epic);
  // The merged work of another story.
  stage.git("branch", "epic/shop", `story/${STORY}~1`);
  expect((await only(stage)).branch).toMatchObject({ commits: 1, target: "epic/shop" });
});

const WORKTREE = `.saga/worktrees/${STORY}`;

describe("an unfinished story", () => {
  it("is reported with all its facts, and nothing is changed", async () => {
    const stage = await leftInFlight();
    const disk = wholeDisk(stage.path);
    const facts = await only(stage);
    expect(wholeDisk(stage.path)).toBe(disk);
    expect(facts).toMatchObject({
      title: `Title of ${STORY}`,
      state: "killed",
      question: `Story ${STORY} is unfinished: its last run ended early. The worktree ${WORKTREE} has uncommitted changes (8 files). Resume or discard?`,
      worktree: { path: WORKTREE, isThere: true, changedFiles: 8 },
      branch: { name: `story/${STORY}`, commit: stage.tip, commits: 2, target: "main" },
      tasks: { completed: 1, total: 2 },
      lastRun: { hasEnded: false, outcome: undefined },
      leftovers: { processes: [], taskLists: [`saga__${STORY}__1763240000000`], snapshots: [] },
      problems: [],
    });
    expect(Math.abs(Date.parse(facts.lastRun?.at ?? "") - Date.now())).toBeLessThan(60_000);
  });

  it("has a clean worktree when all is committed", async () => {
    const { question } = await only(await leftInFlight({ isDirty: false }));
    expect(question).toContain(`The worktree ${WORKTREE} is clean. Resume or discard?`);
  });

  it("is not reported while it runs, when it is finished, or before it was started", async () => {
    const stage = await leftInFlight();
    stage.write(".saga/stories/later/story.json", aStory("later"));
    stage.write(".saga/stories/later/t.json", aTask("t"));
    await only(stage);
    await stage.store.setTaskStatus(STORY, "page", "completed");
    const held = await stage.store.leases.acquire(`story.${STORY}`, { owner: "me", ttlMs: 1000 });
    expect((await read(stage)).stories).toEqual([]);
    await held.lease?.release();
    const [run] = await stage.store.listRuns(STORY);
    const log = run && (await stage.store.openRun(run));
    log?.update({ endedAt: new Date().toISOString(), outcome: "done" });
    log?.close();
    expect((await stage.store.viewStory(STORY)).state).toBe("review");
    expect((await read(stage)).stories).toEqual([]);
  });

  it("is reported as failed with the reason, and as blocked with the question", async () => {
    const stage = await leftInFlight();
    const held = await stage.store.leases.acquire(`story.${STORY}`, { owner: "me", ttlMs: 1000 });
    await held.lease?.release();
    const [run] = await stage.store.listRuns(STORY);
    const log = run && (await stage.store.openRun(run));
    log?.update({ endedAt: new Date().toISOString(), outcome: "failed", reason: "It broke." });
    log?.close();
    expect(await only(stage)).toMatchObject({
      state: "failed",
      question: expect.stringContaining("its last run failed. The worktree") as string,
      lastRun: { hasEnded: true, outcome: "failed", reason: "It broke." },
    });
    const at = new Date().toISOString();
    const entry = { kind: "blocker", at, title: "Which?", body: "", blocker: undefined } as const;
    await stage.store.appendJournal(STORY, entry);
    expect(await only(stage)).toMatchObject({
      state: "blocked",
      question: expect.stringMatching(
        /its agent asks a question\..* Answer or discard\?$/,
      ) as string,
    });
  });

  it("is not reported when it only has new tasks that were not started", async () => {
    const stage = await leftInFlight({ isDirty: false });
    const held = await stage.store.leases.acquire(`story.${STORY}`, { owner: "me", ttlMs: 1000 });
    await held.lease?.release();
    const [run] = await stage.store.listRuns(STORY);
    const log = run && (await stage.store.openRun(run));
    log?.update({ endedAt: new Date().toISOString(), outcome: "done" });
    log?.close();
    expect((await stage.store.viewStory(STORY)).state).toBe("ready");
    expect((await read(stage)).stories).toEqual([]);
  });

  it("lists the processes that its dead worker left", async () => {
    const stage = await leftInFlight();
    const [run] = await stage.store.listRuns(STORY);
    const env = { PATH: process.env["PATH"], [RUN_MARK]: run?.id };
    const left = spawn("sleep", ["60"], { env });
    await once(left, "spawn");
    expect((await only(stage)).leftovers.processes).toEqual([left.pid]);
    left.kill();
    await once(left, "exit");
  });
});

describe("a change by hand is reported, and hides nothing:", () => {
  it("a worktree that was removed", async () => {
    const stage = await leftInFlight();
    rmSync(stage.folder, { recursive: true });
    expect(await only(stage)).toMatchObject({
      question: `Story ${STORY} is unfinished: its last run ended early. The worktree ${WORKTREE} is missing; its branch story/${STORY} has 2 unmerged commits. Resume or discard?`,
      worktree: { isThere: false, changedFiles: undefined },
      // The statuses were in the worktree: the commits show them.
      tasks: { completed: 1, total: 2 },
      problems: [expect.stringContaining("it was removed by hand") as string],
    });
  });

  it("a worktree that was removed with git, after its worker had ended", async () => {
    const stage = await leftInFlight({ isDirty: false });
    stage.git("worktree", "remove", stage.folder);
    const held = await stage.store.leases.acquire(`story.${STORY}`, { owner: "me", ttlMs: 1000 });
    await held.lease?.release();
    const [run] = await stage.store.listRuns(STORY);
    const log = run && (await stage.store.openRun(run));
    log?.update({ endedAt: new Date().toISOString(), outcome: "stopped" });
    log?.close();
    // The state that lists show, whether or not someone has merged the branch by hand.
    expect((await stage.store.viewStory(STORY)).state).toBe("stopped");
    expect(await only(stage)).toMatchObject({ state: "stopped", branch: { commits: 2 } });
    stage.git("update-ref", "refs/heads/main", `story/${STORY}`);
    expect(await only(stage)).toMatchObject({ state: "stopped", branch: { commits: 0 } });
  });

  it("a branch that was deleted", async () => {
    const stage = await leftInFlight();
    stage.git("update-ref", "-d", `refs/heads/story/${STORY}`);
    expect(await only(stage)).toMatchObject({
      worktree: { isThere: true },
      branch: { commit: undefined, commits: undefined },
      lostTip: stage.tip,
      problems: [
        `The branch story/${STORY} is gone; its last commit was ${stage.tip.slice(0, 10)}.`,
      ],
    });
  });

  it("not the worktree that a worker of the pool keeps between tasks", async () => {
    const stage = await leftInFlight();
    stage.git("worktree", "add", "--quiet", "-b", "story/auto-1", ".saga/worktrees/auto-1");
    expect((await read(stage)).stories.map(({ storyId }) => storyId)).toEqual([STORY]);
  });

  it("both of them", async () => {
    const stage = await leftInFlight();
    stage.git("worktree", "remove", "--force", stage.folder);
    stage.git("update-ref", "-d", `refs/heads/story/${STORY}`);
    expect((await only(stage)).question).toContain(
      `is missing, and so is its branch story/${STORY}.`,
    );
  });

  it("an invalid file, beside a valid story", async () => {
    const stage = await leftInFlight();
    stage.write(".saga/stories/other/story.json", aStory("other"));
    stage.write(".saga/stories/other/t.json", aTask("t", { status: "in_progress" }));
    await prepare(stage, { storyId: "other" });
    writeFileSync(join(stage.folder, ".saga/stories", STORY, "story.json"), "{ broken");
    const { stories } = await read(stage);
    expect(stories).toMatchObject([
      {
        storyId: STORY,
        state: "unfinished",
        tasks: undefined,
        worktree: { isThere: true, changedFiles: 9 },
        problems: [expect.stringMatching(/cannot be read \(.*story\.json:1\)/) as string],
      },
      { storyId: "other", problems: [] },
    ]);
  });

  it.each([
    ["a run", ".saga/runs/other/20261115T214800123Z-1a2b/run.json"],
    ["a lease", ".saga/leases/story.other/1.json"],
  ])("%s of another story that cannot be read", async (_, record) => {
    const stage = await leftInFlight();
    stage.write(".saga/stories/other/story.json", aStory("other"));
    stage.write(".saga/stories/other/t.json", aTask("t", { status: "in_progress" }));
    await prepare(stage, { storyId: "other" });
    mkdirSync(join(stage.path, record), { recursive: true });
    const { stories, problems } = await read(stage);
    expect(stories.map(({ storyId }) => storyId)).toEqual([STORY]);
    expect(problems).toEqual([expect.stringMatching(/other.* is a folder\.$/)]);
    const context = { env: stage.env, only: "other" };
    await expect(readInFlight(stage.store, await stage.open(), context)).rejects.toThrow(
      "is a folder",
    );
  });

  it("a merge in progress, and another branch", async () => {
    const stage = await leftInFlight({ isDirty: false });
    stage.gitIn(stage.folder, "switch", "--quiet", "--create", "elsewhere");
    expect((await only(stage)).problems.join()).toContain(`on elsewhere, not on story/${STORY}`);
    writeFileSync(join(stage.path, ".git/worktrees", STORY, "MERGE_HEAD"), `${stage.tip}\n`);
    expect((await only(stage)).problems.join()).toContain("A merge is in progress");
  });

  it("a worktree that git cannot read, and a repository that it cannot", async () => {
    const stage = await leftInFlight();
    writeFileSync(join(stage.path, ".git/worktrees", STORY, "index"), "no index");
    const broken = await only(stage);
    expect(broken.problems.join()).toContain("Git cannot read");
    expect(broken.question).toContain("cannot be read by git");
    const report = await readInFlight(stage.store, undefined, { env: stage.env });
    expect(report.stories).toMatchObject([
      { storyId: STORY, worktree: { isThere: true }, tasks: { completed: 1, total: 2 } },
    ]);
  });

  it("invalid settings", async () => {
    const stage = await leftInFlight();
    stage.write(".saga/config.toml", "nonsense = 1\n");
    const { stories, problems } = await read(stage);
    expect(stories).toHaveLength(1);
    expect(problems).toHaveLength(1);
  });
});

it("finds nothing in a project without started stories", async () => {
  const test = newRepository();
  const store = openStore(test.path);
  expect(await read({ ...test, store })).toEqual({ stories: [], problems: [] });
});
