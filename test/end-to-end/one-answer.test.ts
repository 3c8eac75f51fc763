// What people are shown is one answer, whichever command they ask, and names what works.

import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { finishedByClaude, finishedStage, ONE_TASK, saga } from "../support/finished-stage.ts";
import { anEpic, aStory, aTask } from "../support/project.ts";
import { newStage, STORY, type Stage } from "../support/stage.ts";
import { expectExit } from "../support/expect-exit.ts";

/** What each of the commands that show it makes of it. */
async function shownAs(stage: Stage): Promise<{ state: unknown; isInFlight: boolean }> {
  const list = (await saga(stage, "list", "--json")).json();
  const show = (await saga(stage, "show", STORY, "--json")).json();
  const recover = (await saga(stage, "recover", "--json")).json();
  const status = (await saga(stage, "status", "--json")).json();
  const listed = (list["stories"] as { id: string; state: string }[]).find(
    ({ id }) => id === STORY,
  );
  expect(show["state"]).toBe(listed?.state);
  const isInFlight = (list["inFlight"] as string[]).includes(STORY);
  for (const view of [recover, status]) {
    expect((view["inFlight"] as string[]).includes(STORY)).toBe(isInFlight);
  }
  return { state: listed?.state, isInFlight };
}

const READY = { state: "ready", isInFlight: false };
const REVIEW = { state: "review", isInFlight: false };
const SENT_BACK = { state: "sent-back", isInFlight: false };
const STOPPED = { state: "stopped", isInFlight: true };
const UNFINISHED = { state: "unfinished", isInFlight: true };

describe("a story with new work that no run has started can be continued, and is not unfinished:", () => {
  it("one that was sent back", async () => {
    const stage = await finishedByClaude();
    expect(await shownAs(stage)).toEqual(REVIEW);
    expect((await saga(stage, "reject", STORY, "Not so.")).exitCode).toBe(0);
    expect(await shownAs(stage)).toEqual(SENT_BACK);
    // A story that was sent back is not a finished run.
    expect((await stage.store.listRuns(STORY))[0]).toMatchObject({ outcome: "sent-back" });
    const status = (await saga(stage, "status", "--json")).json();
    expect(status["continue"]).toMatchObject([{ story: STORY, kind: "sent-back" }]);
    // `resume` means to continue.
    expect((await saga(stage, "resume", STORY, "--foreground")).exitCode).toBe(0);
    expect(await shownAs(stage)).toEqual(REVIEW);
  });

  it("one whose agent should resolve a conflict", async () => {
    const steps = { form: [{ write: "README.md", content: "# The form\n" }] };
    const stage = await finishedStage({ steps });
    stage.git("switch", "--quiet", "main");
    stage.write("README.md", "# A better project\n");
    stage.git("commit", "--quiet", "--all", "--message=Better");
    stage.git("switch", "--quiet", "elsewhere");
    expect((await saga(stage, "merge", STORY, "--json")).json()).toMatchObject({
      kind: "conflict",
      taskId: "resolve-conflict",
    });
    expect(await shownAs(stage)).toEqual(READY);
    const status = await saga(stage, "status");
    expect(status.stdout).toContain("Ready to continue");
    expect(status.stdout).toMatch(new RegExp(`${STORY} +conflict +saga run ${STORY}`));
  });
});

describe("a story that was stopped during its gate", () => {
  it("is stopped, and its epic's run runs the gate and merges it", async () => {
    const stage = await newStage({ tasks: ONE_TASK });
    const [begun, may] = [join(stage.home, "begun"), join(stage.home, "may")];
    const check = `test -e ${may} || { touch ${begun}; sleep 60; }`;
    const story = aStory(STORY, { epic: "shop", checks: [check] });
    stage.write(`.saga/stories/${STORY}/story.json`, story);
    stage.write(".saga/epics/shop/epic.json", anEpic("shop", [{ id: STORY, blockedBy: [] }]));
    stage.git("add", "--all");
    stage.git("commit", "--quiet", "--message=Plan");
    stage.git("switch", "--quiet", "--create", "elsewhere");
    stage.write(".saga/config.toml", '[git]\nbase = "main"\n');
    const stop = new AbortController();
    const given = { stop: stop.signal, env: stage.env };
    const ending = stage.sagaUntil(given, "run", STORY, "--foreground");
    await expect.poll(() => existsSync(begun)).toBe(true);
    stop.abort();
    await ending;
    expect(await stage.statuses()).toEqual({ form: "completed" });
    expect(await shownAs(stage)).toEqual(STOPPED);
    stage.write("../home/may", "");
    const run = await expectExit(0, stage.run("epic", "run", "shop", "--merge"));
    expect(run.stderr).not.toContain("claimed");
    expect((await stage.store.viewStory(STORY)).state).toBe("completed");
  });
});

describe("a story whose worktree was removed when it was in review", () => {
  it("is unfinished everywhere, and a run creates its worktree again from the branch", async () => {
    const stage = await finishedStage();
    rmSync(stage.worktree, { recursive: true });
    expect(await shownAs(stage)).toEqual(UNFINISHED);
    expect((await saga(stage, "list")).stdout).toContain("(worktree missing, branch exists");
    expect((await saga(stage, "show", STORY)).stdout).toContain(
      `Its worktree is gone; its branch still exists. Next: \`saga resume ${STORY}\``,
    );
    expect((await saga(stage, "recover")).stdout).toContain(
      `Story ${STORY} is not merged. The worktree .saga/worktrees/${STORY} is missing; its branch`,
    );
    for (const words of [["accept"], ["merge"], ["reject", "Not so."]]) {
      const [command = "", ...more] = words;
      const { exitCode, stderr } = await saga(stage, command, STORY, ...more);
      expect(exitCode).toBe(1);
      expect(stderr).toContain(
        `The worktree of ${STORY} is missing; its work is on the branch story/${STORY}`,
      );
      expect(stderr).toContain(`Create the worktree again from the branch: \`saga run ${STORY}\`.`);
    }
    const turns = stage.model.turns();
    expect((await stage.work()).exitCode).toBe(0);
    expect(stage.model.turns()).toBe(turns);
    expect(await shownAs(stage)).toEqual(REVIEW);
    expect((await saga(stage, "merge", STORY)).exitCode).toBe(0);
  });
});

describe("a record that says merged", () => {
  it("of a story that git does not have is ignored, and the story can continue", async () => {
    const stage = await newStage({ tasks: [aTask("form", { checks: ["false"] })] });
    expect((await stage.work()).exitCode).toBe(1);
    const failed = { state: "failed", isInFlight: true };
    expect(await shownAs(stage)).toEqual(failed);
    const at = new Date().toISOString();
    const forged = await stage.store.startRun(STORY, { endedAt: at, outcome: "merged" });
    forged.close();
    expect(await shownAs(stage)).toEqual(failed);
    for (const command of ["merge", "accept"]) {
      expect((await saga(stage, command, STORY)).stderr).toContain(`\`saga run ${STORY}\``);
    }
    expect((await stage.work()).stdout).toContain("failed");
    expect((await saga(stage, "discard", STORY, "--yes")).exitCode).toBe(0);
    expect(await shownAs(stage)).toEqual(READY);
  });

  it("of a story that its target no longer contains does not prevent another merge", async () => {
    const stage = await finishedStage();
    const before = stage.git("rev-parse", "main");
    expect((await saga(stage, "merge", STORY)).exitCode).toBe(0);
    const repeated = await saga(stage, "merge", STORY);
    expect(repeated.stdout).toContain("is already merged into main");
    stage.git("branch", "--force", "main", before);
    const lost = `${STORY} was merged into main, but main no longer contains it`;
    const verified = await saga(stage, "verify", STORY);
    expect(verified.stderr).toContain(lost);
    expect(verified.stdout).not.toContain("merged already");
    const refused = await saga(stage, "merge", STORY);
    expect(refused.stderr).toContain(lost);
    expect(refused.stderr).toContain(`\`saga run ${STORY}\``);
    expect((await stage.work()).exitCode).toBe(0);
    expect(await shownAs(stage)).toEqual(REVIEW);
    const again = await saga(stage, "merge", STORY);
    expect(again.stdout).toContain(`${STORY}: merged into main (`);
    expect(stage.git("ls-tree", "--name-only", "main", "rehearsal/")).toBe("rehearsal/form.md");
  });
});

describe("an epic whose branch was deleted or reset by hand", () => {
  async function oneOfTwo(): Promise<Stage> {
    const stage = await newStage({
      tasks: ONE_TASK,
      story: { epic: "shop" },
      config: '[delivery]\nkind = "epic-branch"\n',
    });
    const children = [
      { id: STORY, blockedBy: [] },
      { id: "later", blockedBy: [STORY] },
    ];
    stage.write(".saga/epics/shop/epic.json", anEpic("shop", children));
    stage.write(".saga/stories/later/story.json", aStory("later", { epic: "shop" }));
    stage.write(".saga/stories/later/page.json", aTask("page"));
    stage.git("add", "--all");
    stage.git("commit", "--quiet", "--message=Plan");
    expect((await stage.work()).exitCode).toBe(0);
    expect((await saga(stage, "merge", STORY)).exitCode).toBe(0);
    return stage;
  }
  const filesIn = (stage: Stage): string[] =>
    stage.git("ls-tree", "--name-only", "epic/shop", "rehearsal/").split("\n");
  const BOTH = ["rehearsal/form.md", "rehearsal/page.md"];

  it("gets it back with its story when the next one starts, with a warning", async () => {
    const stage = await oneOfTwo();
    const tip = stage.git("rev-parse", "epic/shop");
    stage.git("branch", "-D", "epic/shop");
    expect((await saga(stage, "merge", STORY)).stdout).toContain(
      "epic/shop was deleted since then",
    );
    expect((await saga(stage, "verify", STORY)).stdout).toContain(
      "epic/shop was deleted since then",
    );
    const run = await expectExit(0, stage.run("epic", "run", "shop"));
    expect(run.stderr).toContain(
      `epic/shop was deleted; it was created again with its stories, at ${tip.slice(0, 12)}.`,
    );
    expect(filesIn(stage)).toEqual(BOTH);
  });

  it("gets it back when a story in review is merged", async () => {
    const stage = await oneOfTwo();
    await expectExit(0, saga(stage, "run", "later", "--foreground"));
    stage.git("branch", "-D", "epic/shop");
    const merged = await expectExit(0, saga(stage, "merge", "later"));
    expect(merged.stderr).toContain("epic/shop was deleted; it was created again");
    expect(filesIn(stage)).toEqual(BOTH);
  });

  it("merges the lost story again before another starts without it", async () => {
    const stage = await oneOfTwo();
    stage.git("branch", "--force", "epic/shop", "main");
    const run = await expectExit(0, stage.run("epic", "run", "shop"));
    expect(run.stderr).toContain(
      `${STORY} was merged into epic/shop, but epic/shop no longer contains it`,
    );
    expect(run.stderr).toContain(`later is waiting: needs ${STORY}`);
    expect(filesIn(stage)).toEqual(BOTH);
  });
});
