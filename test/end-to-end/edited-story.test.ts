// A story that has begun, changed by a person: the change reaches the target with the story, and what it asks for less
// is the person's decision; an agent's is not.

import { describe, expect, it } from "vitest";
import { finishedStage, ONE_TASK, saga, work, workedStage } from "../support/finished-stage.ts";
import { newStage, STORY, type Stage } from "../support/stage.ts";
import { expectExit } from "../support/expect-exit.ts";

const FOLDER = `.saga/stories/${STORY}`;
const OWN = `.saga/worktrees/${STORY}/${FOLDER}`;

async function done(stage: Stage, ...words: string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await saga(stage, ...words);
  expect(exitCode, `${words.join(" ")}: ${stdout}${stderr}`).toBe(0);
  return stdout + stderr;
}

const onMain = (stage: Stage, name: string): Record<string, unknown> =>
  JSON.parse(stage.git("show", `main:${FOLDER}/${name}`)) as Record<string, unknown>;

const byHand = (stage: Stage, file: string, more: Record<string, unknown>): string =>
  stage.write(file, { ...stage.json(file), ...more });

describe("a change to a story in review", () => {
  const CHANGE = {
    title: "Sign in",
    description: "More of it.",
    labels: ["ui"],
    priority: 1,
    writeFiles: ["rehearsal/**"],
  };

  it("reaches the target with the merge when it is made with saga edit", async () => {
    const stage = await finishedStage();
    const set = Object.entries(CHANGE).flatMap(([field, value]) => [
      "--set",
      `${field}=${String(value)}`,
    ]);
    await done(stage, "edit", STORY, ...set);
    await done(stage, "edit", STORY, "form", "--set", "guidance=Nicely.");
    // Committed at once: a pull request that a person merges elsewhere has it too.
    expect(stage.git("-C", stage.worktree, "status", "--short")).toBe("");
    await done(stage, "run", STORY, "--foreground");
    await done(stage, "merge", STORY);
    expect(onMain(stage, "story.json")).toMatchObject(CHANGE);
    expect(onMain(stage, "form.json")).toMatchObject({ guidance: "Nicely." });
  });

  it("reaches the target with the merge when it is made by hand in the worktree", async () => {
    const stage = await finishedStage();
    byHand(stage, `${OWN}/story.json`, CHANGE);
    byHand(stage, `${OWN}/form.json`, { guidance: "Nicely." });
    await done(stage, "merge", STORY);
    expect(onMain(stage, "story.json")).toMatchObject(CHANGE);
    expect(onMain(stage, "form.json")).toMatchObject({ guidance: "Nicely." });
    expect(stage.git("worktree", "list").split("\n")).toHaveLength(1);
  });

  it("that adds a check is merged when the check has passed", async () => {
    const stage = await finishedStage();
    await done(stage, "edit", STORY, "--set", 'checks=["test -e rehearsal/form.md"]');
    const refused = await expectExit(1, saga(stage, "merge", STORY));
    expect(refused.stderr).toContain("its check `test -e rehearsal/form.md` was not run");
    await done(stage, "accept", STORY, "--merge");
    expect(onMain(stage, "story.json")).toMatchObject({ checks: ["test -e rehearsal/form.md"] });
  });

  it("that is unreadable is refused by the merge, which names the file", async () => {
    const stage = await finishedStage();
    stage.write(`${OWN}/story.json`, "{");
    const refused = await saga(stage, "merge", STORY);
    expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining("story.json")]);
    expect(stage.read(`${OWN}/story.json`)).toBe("{");
  });

  it("in the checkout instead is reported by accept and merge, and stays there", async () => {
    const stage = await finishedStage();
    byHand(stage, `${FOLDER}/story.json`, { title: "Sign in" });
    for (const command of ["accept", "merge"]) {
      expect(await done(stage, command, STORY)).toContain("You changed story.json here, but");
    }
    expect(stage.json(`${FOLDER}/story.json`)).toMatchObject({ title: "Sign in" });
  });

  it("is refused once the story is merged, if its worktree is still there", async () => {
    const stage = await finishedStage();
    stage.write(`.saga/worktrees/${STORY}/mine.txt`, "mine\n");
    await done(stage, "merge", STORY);
    const before = stage.read(`${OWN}/story.json`);
    const refused = await expectExit(1, saga(stage, "edit", STORY, "--set", "title=Sign in"));
    expect(refused.stderr).toContain("is already merged into main");
    expect(stage.read(`${OWN}/story.json`)).toBe(before);
  });
});

describe("more allowed files for a story whose gate refused a file", () => {
  const refusedStage = (): Promise<Stage> =>
    workedStage(1, {
      tasks: ONE_TASK,
      story: { writeFiles: ["src/**"], checks: ["true"] },
      config: "[gate]\nfix_rounds = 0\n",
    });
  const WIDER = ["edit", STORY, "--set", "writeFiles=src/**,rehearsal/**"] as const;

  it("are the person's decision: the next run passes, and it can be merged", async () => {
    const stage = await refusedStage();
    expect(await done(stage, ...WIDER)).toContain("recorded as your decision");
    expect((await saga(stage, "merge", STORY)).stderr).toContain("its diff was not checked");
    await done(stage, "run", STORY, "--foreground");
    await done(stage, "merge", STORY);
    expect(onMain(stage, "story.json")).toMatchObject({ writeFiles: ["src/**", "rehearsal/**"] });
    const journal = stage.git("show", `main:${FOLDER}/journal.md`);
    expect(journal).toContain("`rehearsal/**` was added to its allowed files");
  });

  it("need no further override when the person accepts it at once", async () => {
    const stage = await refusedStage();
    await done(stage, ...WIDER);
    await done(stage, "accept", STORY, "--merge");
    expect(stage.git("show", "main:rehearsal/form.md")).not.toBe("");
  });

  it("stay without effect when an agent adds them, until a person overrides that as the message says", async () => {
    const stage = await refusedStage();
    const agent = { ...stage.env, CLAUDECODE: "1" };
    const edited = await stage.sagaWithEnv(agent, ...WIDER);
    expect(edited.stdout).toContain(`saga accept ${STORY} --override definition --why "…"`);
    const merged = await expectExit(1, saga(stage, "accept", STORY, "--merge"));
    expect(merged.stderr).toContain("definition: `rehearsal/**` was added");
    const why = ["--override", "definition", "--why", "It writes its notes there."];
    await done(stage, "accept", STORY, ...why, "--merge");
    expect(stage.git("show", "main:rehearsal/form.md")).not.toBe("");
  });

  it("do not approve what was lowered in the worktree before", async () => {
    const stage = await refusedStage();
    byHand(stage, `${OWN}/story.json`, { checks: [] });
    expect(await done(stage, ...WIDER)).toContain("its gate will refuse it");
    const refused = await saga(stage, "accept", STORY);
    expect(refused.stderr).toContain("definition: The check `true` was removed");
  });

  it("count only with Saga's seal", async () => {
    const stage = await refusedStage();
    await done(stage, ...WIDER);
    const [run] = await stage.store.listRuns(STORY);
    byHand(stage, `.saga/runs/${STORY}/${run?.id}/run.json`, {
      edit: { ...run?.edit, seal: "0".repeat(64) },
    });
    expect((await saga(stage, "accept", STORY)).stderr).toContain("definition: `rehearsal/**`");
  });

  it("are forgotten with the rest when the story is discarded", async () => {
    const stage = await refusedStage();
    await done(stage, ...WIDER);
    await done(stage, "discard", STORY, "--yes");
    const ran = await expectExit(1, saga(stage, "run", STORY, "--foreground"));
    expect(ran.stdout).toContain("but the story may only change");
  });
});

describe("a check that a person adds, while the target has the story without it", () => {
  const REMOVED = "definition: The check `true` was removed";
  const CHECKS = { checks: ["true"] };
  const committedStage = async (): Promise<Stage> => {
    const stage = await newStage({ tasks: ONE_TASK });
    stage.git("add", "--all");
    stage.git("commit", "--quiet", "--message=Add the story");
    return stage;
  };

  it("cannot be removed by an agent when it was added with saga edit", async () => {
    const stage = await committedStage();
    await work(stage, 0);
    await done(stage, "edit", STORY, "--set", 'checks=["true"]');
    // As the agent of a killed worker can: no worker restores it.
    byHand(stage, `${OWN}/story.json`, { checks: [] });
    expect((await saga(stage, "accept", STORY)).stderr).toContain(REMOVED);
    byHand(stage, `${OWN}/story.json`, CHECKS);
    await done(stage, "accept", STORY);
  });

  it("cannot be removed by an agent when it was added before the start", async () => {
    const stage = await committedStage();
    byHand(stage, `${FOLDER}/story.json`, CHECKS);
    await work(stage, 0);
    byHand(stage, `${OWN}/story.json`, { checks: [] });
    expect((await saga(stage, "accept", STORY)).stderr).toContain(REMOVED);
  });
});
