// A person's word on a story: that it is a person's, what it sets aside, and that all commands agree on
// what has become of the story.

import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newRunId } from "../../src/story/state/run-id.ts";
import { ONE_TASK, saga, workedStage } from "../support/finished-stage.ts";
import { aTask, type CommandOutput } from "../support/project.ts";
import { newStage, STORY, type Stage, type StageOptions } from "../support/stage.ts";
import { expectExit } from "../support/expect-exit.ts";

const PROTECTED = "[gate]\nfix_rounds = 0\nprotected = ['rehearsal/**']\n";
const WHY = ["--why", "It had to be."];

/** The story done, and refused because of what it changed. */
const refused = (options: StageOptions = {}): Promise<Stage> =>
  workedStage(1, { config: PROTECTED, ...options });

async function expectDone(output: Promise<CommandOutput>): Promise<CommandOutput> {
  const { exitCode, stdout, stderr } = await output;
  expect(exitCode, stdout + stderr).toBe(0);
  return output;
}

/** What code that an agent wrote could do when it is run as a check. */
async function forge(stage: Stage, atMs: number): Promise<string> {
  const id = newRunId(atMs, "abcdef");
  const at = new Date(atMs).toISOString();
  const diff = (await stage.events("gate")).find(({ gate }) => gate === "diff");
  const word = { ...diff, gate: "person", isPassed: true, how: "accepted by ada", findings: [] };
  const objections = [
    'protected "rehearsal/form.md" It is protected by `rehearsal/**`, and was added.',
  ];
  const overridden = { rules: ["protected"], objections, why: "It had to be.", who: "ada" };
  const lines = [
    { ...diff, isPassed: true, findings: [], at },
    { ...word, at, overridden },
  ];
  const run = { id, story: STORY, startedAt: at, endedAt: at, outcome: "done" };
  stage.write(`.saga/runs/${STORY}/${id}/run.json`, run);
  stage.write(
    `.saga/runs/${STORY}/${id}/events.jsonl`,
    lines.map((line) => `${JSON.stringify(line)}\n`).join(""),
  );
  return id;
}

describe("a forged approval", () => {
  it("does not count, whatever its time, and every command warns of it", async () => {
    const stage = await refused();
    const main = stage.git("rev-parse", "main");
    const now = await forge(stage, Date.now());
    const ahead = await forge(stage, Date.now() + 86_400_000);
    const merged = await expectExit(1, saga(stage, "merge", STORY));
    expect(merged.stderr).toContain("protected");
    const sentence = `2 check results in the run ${now} were not written by Saga on this machine and do not count.`;
    expect(merged.stderr.split(sentence)).toHaveLength(2);
    expect(merged.stderr).toContain(`The run ${ahead} is dated in the future`);
    expect((await saga(stage, "verify", STORY)).stderr).toContain(sentence);
    expect((await saga(stage, "show", STORY)).stdout).toContain(sentence);
    expect(stage.git("rev-parse", "main")).toBe(main);
  });
});

describe("without a signing key", () => {
  it("the work is done, but a merge waits until an approval can be recorded", async () => {
    const stage = await newStage({ tasks: ONE_TASK });
    const state = join(stage.home, "state");
    rmSync(state, { recursive: true, force: true });
    writeFileSync(state, "in the way");
    await expectExit(0, stage.work());
    expect(JSON.stringify(await stage.events("warning"))).toContain("will not count for a merge");
    stage.git("switch", "--quiet", "--create", "elsewhere");
    const merged = await saga(stage, "merge", STORY);
    expect(merged.stderr).toContain("its gate has not run on this code");
    const accepted = await expectExit(1, saga(stage, "accept", STORY));
    expect(accepted.stderr).toContain(state);
    rmSync(state);
    await expectDone(saga(stage, "accept", STORY));
    await expectDone(saga(stage, "merge", STORY));
  });
});

describe("a rule that a person overrides", () => {
  const checks = ["echo one; exit 3", "test -e rehearsal/form.md"];

  it("is overridden only after all checks ran, even after a refused diff or a failed check", async () => {
    const stage = await refused({ story: { checks } });
    const open = await saga(stage, "accept", STORY, "--override", "protected", ...WHY);
    expect(open.stderr).toContain("--override check");
    const verified = (await saga(stage, "verify", STORY, "--json")).json();
    expect(verified).toMatchObject({ fresh: [{ gate: "diff" }, { exitCode: 3 }, { exitCode: 0 }] });
    await expectDone(saga(stage, "accept", STORY, "--override", "protected,check", ...WHY));
    await expectDone(saga(stage, "merge", STORY));
  });

  it("needs a reason, which is required before any check runs", async () => {
    const stage = await refused({ story: { checks: ["touch ../../../ran"] } });
    const noted = await expectExit(
      64,
      saga(stage, "accept", STORY, "--override", "protected", "--why", " "),
    );
    expect(noted.stderr).toContain("Overriding a rule needs a reason.");
    expect(existsSync(join(stage.path, "ran"))).toBe(false);
    await saga(stage, "accept", STORY, "--override", "protected", ...WHY);
    expect(existsSync(join(stage.path, "ran"))).toBe(true);
  });

  it("stays overridden when the story is accepted again, until it is sent back", async () => {
    const stage = await refused();
    await expectDone(saga(stage, "accept", STORY, "--override", "protected", ...WHY));
    const again = await expectDone(saga(stage, "accept", STORY, "--json"));
    expect(again.json()).toMatchObject({ setAside: [{ rule: "protected" }], unused: [] });
    await expectDone(saga(stage, "verify", STORY, "--no-run"));
    await expectDone(saga(stage, "reject", STORY, "Not like this."));
    await stage.store.setTaskStatus(STORY, "rework", "completed");
    const back = await saga(stage, "accept", STORY);
    expect(back.stderr).toContain("--override protected");
  });

  it("is overridden for a worker too", async () => {
    const stage = await refused();
    await expectDone(saga(stage, "accept", STORY, "--override", "protected", ...WHY));
    const ended = await expectExit(0, stage.work("--json"));
    expect(JSON.parse(ended.stdout)).toMatchObject({ outcome: "done" });
    await expectDone(saga(stage, "merge", STORY));
  });

  it("does not cover other findings of the same rule after the rebase", async () => {
    const stage = await workedStage(1, {
      config: "[gate]\nfix_rounds = 0\n",
      story: { checks: ["test -e later.txt", "test ! -e clash.txt"] },
    });
    await expectDone(saga(stage, "accept", STORY, "--override", "check", ...WHY));
    stage.git("switch", "--quiet", "main");
    stage.write("clash.txt", "It is in the way.\n");
    stage.git("add", "clash.txt");
    stage.git("commit", "--quiet", "--message=Clash");
    stage.git("switch", "--quiet", "elsewhere");
    const main = stage.git("rev-parse", "main");
    const merged = await expectExit(1, saga(stage, "merge", STORY));
    expect(merged.stdout).toContain("The check `test ! -e clash.txt` failed (exit 1).");
    expect(merged.stdout).not.toContain("later.txt");
    expect(stage.git("rev-parse", "main")).toBe(main);
    // What was set aside still is, where nothing else is in the way.
    stage.git("branch", "--quiet", "--force", "main", "main~1");
    await expectDone(saga(stage, "merge", STORY));
  });

  it("must be a known rule, and the command says if it had no findings", async () => {
    const stage = await workedStage(0);
    const runs = await stage.store.listRuns(STORY);
    const unknown = await expectExit(
      64,
      saga(stage, "accept", STORY, "--override", "protect", ...WHY),
    );
    expect(unknown.stderr).toContain("protected, saga, undeclared");
    expect(await stage.store.listRuns(STORY)).toEqual(runs);
    const unused = await expectDone(saga(stage, "accept", STORY, "--override", "size", ...WHY));
    expect(unused.stdout).toContain("The rule size had no findings to override.");
  });
});

describe("a story that a person has sent back", () => {
  it("is not merged with the same code, however many runs follow", async () => {
    const stage = await workedStage(0);
    await expectDone(saga(stage, "reject", STORY, "Not like this."));
    for (let turn = 0; turn < 6; turn++) {
      const log = await stage.store.startRun(STORY);
      log.update({ endedAt: new Date().toISOString(), outcome: "stopped" });
      log.close();
    }
    await stage.store.pruneRuns(STORY, 6);
    await stage.store.setTaskStatus(STORY, "rework", "completed");
    const verified = await saga(stage, "verify", STORY);
    expect(verified.stdout).toContain("A person sent it back.");
    await expectExit(1, saga(stage, "merge", STORY));
    await expectDone(saga(stage, "accept", STORY));
    await expectDone(saga(stage, "merge", STORY));
  });
});

describe("a story that is merged", () => {
  it("is merged for every command, also while the person's checkout is older", async () => {
    const stage = await workedStage(0, { tasks: [aTask("form"), aTask("page")] });
    await expectDone(saga(stage, "merge", STORY));
    const commit = stage.git("rev-parse", "main");
    const sentence = `is already merged into main (${commit.slice(0, 12)}).`;
    // What is in the person's checkout is as they left it.
    expect(stage.json(`.saga/stories/${STORY}/form.json`)).toMatchObject({ status: "pending" });

    const again = await expectDone(saga(stage, "merge", STORY));
    expect(again.stdout).toContain(sentence);
    expect((await expectDone(saga(stage, "accept", STORY, "--merge"))).stdout).toContain(sentence);
    expect((await expectDone(saga(stage, "verify", STORY))).stdout).toContain(sentence);
    // What was done for it, not the merge, which has no log.
    expect((await saga(stage, "logs", STORY)).stdout).toContain("All tasks are completed.");
    expect((await saga(stage, "show", STORY)).stdout).toContain("Merged into main as");
    for (const words of [["accept"], ["reject", "It is wrong."]]) {
      const [command = "", ...rest] = words;
      const answer = await expectExit(1, saga(stage, command, STORY, ...rest));
      expect(answer.stderr).toContain(sentence);
      expect(answer.stderr).toContain("Create a new story for further changes");
    }
    const [listed] = (await saga(stage, "list", "--json")).json()["stories"] as object[];
    const completed = { state: "completed", status: "completed" };
    expect(listed).toMatchObject({ ...completed, tasks: { total: 2, completed: 2 } });
    expect((await saga(stage, "show", STORY, "--json")).json()).toMatchObject({
      ...completed,
      taskList: [{ status: "completed" }, { status: "completed" }],
      claimed: [],
    });
    expect(stage.git("rev-parse", "main")).toBe(commit);
  });

  it("is cleaned up later if that failed at first", async () => {
    const stage = await workedStage(0);
    stage.git("worktree", "lock", stage.worktree);
    const merged = await expectDone(saga(stage, "merge", STORY));
    expect(merged.stdout).toContain("Its worktree was kept:");
    stage.git("worktree", "unlock", stage.worktree);
    const again = await expectDone(saga(stage, "merge", STORY, "--json"));
    expect(again.json()).toMatchObject({ kind: "merged", wasThere: true });
    expect(existsSync(stage.worktree)).toBe(false);
  });

  it("stays merged without its branch, and continues if its branch has new commits", async () => {
    const stage = await workedStage(0);
    await expectDone(saga(stage, "merge", STORY));
    const [branch, tree] = [`refs/heads/story/${STORY}`, stage.git("rev-parse", "main^{tree}")];
    // The branch went with the merge; its last commit is a parent of the record.
    const tip = stage.git("rev-parse", `refs/saga/merged/${STORY}^2`);
    expect(stage.git("branch", "--list", `story/${STORY}`)).toBe("");
    const more = stage.git("commit-tree", tree, "-p", tip, "-m", "More");
    stage.git("update-ref", branch, more);
    const answer = await saga(stage, "merge", STORY);
    expect(answer.stdout + answer.stderr).not.toContain("is already merged");
    stage.git("branch", "--quiet", "-D", `story/${STORY}`);
    expect((await expectDone(saga(stage, "merge", STORY))).stdout).toContain("is already merged");
  });
});
