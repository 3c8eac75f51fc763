import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Script } from "../../src/rehearsal/model-server.ts";
import { anEpic, aTask } from "../support/project.ts";
import {
  expectNothingLeft,
  follows,
  newStage,
  STORY,
  type Stage,
  type StageOptions,
} from "../support/stage.ts";

const ONE_TASK = [aTask("form")];

/** The story done and past its gate, with a clean main checkout that has another branch out. */
async function finished(options: StageOptions = {}): Promise<Stage> {
  const stage = await newStage({ tasks: ONE_TASK, ...options });
  const ended = await stage.work();
  expect(ended.exitCode, ended.stdout).toBe(0);
  stage.git("switch", "--quiet", "--create", "elsewhere");
  return stage;
}

/** An obedient agent, and all that it was told. */
function overheard(heard: string[], steps: StageOptions["steps"] = {}): Script {
  const obey = follows(steps);
  return (turn) => {
    heard.push(JSON.stringify(turn));
    return obey(turn);
  };
}

const saga = async (stage: Stage, ...words: string[]) => stage.sagaWithEnv(stage.env, ...words);

describe("a story that has passed its gate", () => {
  it("has receipts in its run, its journal and its pull request, and they can be verified", async () => {
    const stage = await finished({
      story: { checks: ["test -e rehearsal/form.md"] },
      tasks: [aTask("form", { checks: ["echo checked"] })],
    });
    const gates = await stage.events("gate");
    expect(gates).toMatchObject([
      { gate: "check", task: "form", command: "echo checked", isPassed: true },
      { gate: "diff", isPassed: true },
      { gate: "check", command: "test -e rehearsal/form.md", exitCode: 0, isPassed: true },
    ]);
    const journal = await stage.store.readJournal(STORY);
    expect(journal.entries).toMatchObject([{ kind: "receipt", title: "3 gates passed" }]);
    const shown = await saga(stage, "show", STORY, "--json");
    expect(JSON.stringify(shown.json()["pullRequest"])).toContain("test -e rehearsal/form.md");
    const verified = await saga(stage, "verify", STORY, "--json");
    expect(verified.json()).toMatchObject({ isVerified: true, fresh: [{}, {}] });

    stage.git("-C", stage.worktree, "rm", "--quiet", "rehearsal/form.md");
    stage.git("-C", stage.worktree, "commit", "--quiet", "--message=Oops");
    const broken = await saga(stage, "verify", STORY, "--json");
    expect(broken.exitCode).toBe(1);
    expect(broken.json()).toMatchObject({ isVerified: false, held: [] });
  });

  it("is merged: rebased, checked again, its worktree gone, its story completed, once", async () => {
    const stage = await finished();
    stage.git("switch", "--quiet", "main");
    stage.write("other.txt", "other\n");
    stage.git("add", "other.txt");
    stage.git("commit", "--quiet", "--message=Other");
    stage.git("switch", "--quiet", "elsewhere");
    const merged = await saga(stage, "merge", STORY, "--json");
    expect(merged.exitCode, merged.stdout + merged.stderr).toBe(0);
    expect(stage.git("log", "--format=%s", "main")).toMatch(/Complete|form/i);
    expect(stage.git("ls-tree", "-r", "--name-only", "main").split("\n")).toEqual(
      expect.arrayContaining(["rehearsal/form.md", "other.txt"]),
    );
    expect(existsSync(stage.worktree)).toBe(false);
    const state = (await saga(stage, "show", STORY, "--json")).json();
    expect(state).toMatchObject({ state: "completed" });
    expect(stage.git("status", "--short", "--untracked-files=no")).toBe("");
    const again = await saga(stage, "run", STORY, "--foreground");
    expect(again.exitCode).not.toBe(0);
    await expectNothingLeft(stage);
  });

  it("is not merged under a person's feet, and is when they have taken it", async () => {
    const stage = await finished();
    stage.git("switch", "--quiet", "main");
    const merged = await saga(stage, "merge", STORY, "--json");
    expect(merged.exitCode).toBe(3);
    const { commit, kind } = merged.json();
    expect(kind).toBe("checked-out");
    expect(stage.git("status", "--short", "--untracked-files=no")).toBe("");
    stage.git("clean", "--quiet", "--force", "-d", ".saga/stories");
    stage.git("merge", "--quiet", "--ff-only", String(commit));
    expect((await saga(stage, "merge", STORY)).exitCode).toBe(0);
    expect(existsSync(stage.worktree)).toBe(false);
  });

  it("goes back with what has to be different, and comes again", async () => {
    const heard: string[] = [];
    const stage = await finished({ script: overheard(heard) });
    const rejected = await saga(stage, "reject", STORY, "Call it login.txt");
    expect(rejected.exitCode, rejected.stderr).toBe(0);
    expect(await stage.statuses()).toMatchObject({ form: "completed", rework: "pending" });
    expect((await saga(stage, "merge", STORY)).stderr).toContain("is not finished");
    const ended = await stage.work();
    expect(ended.exitCode, ended.stdout).toBe(0);
    expect(heard.join()).toContain("Call it login.txt");
    // The agent that made it is asked first, and its earlier work is not paid for twice.
    const [first, second] = (await stage.events("agent.started")).map((one) => one["conversation"]);
    expect(second).toBe(first);
    const [last, before] = (await stage.store.listRuns(STORY)).filter(({ cycles }) => cycles > 0);
    expect(last?.costUsd).toBeLessThan((before?.costUsd ?? 0) * 1.5);
    expect((await saga(stage, "merge", STORY)).exitCode).toBe(0);
  });
});

describe("a story that does not pass its gate", () => {
  it("is given to its agent to mend, with the reason, and passes then", async () => {
    const stage = await newStage({
      tasks: ONE_TASK,
      story: { checks: ["test -e rehearsal/mend.md"] },
    });
    const ended = await stage.work();
    expect(ended.exitCode, ended.stdout).toBe(0);
    expect(await stage.statuses()).toEqual({ form: "completed", mend: "completed" });
    expect((await stage.events("gate")).map(({ isPassed }) => isPassed)).toEqual([
      true,
      false,
      // Its own check, then the gate again.
      true,
      true,
      true,
    ]);
  });

  it("fails when nobody can mend it; a person may set the rule aside, with a reason", async () => {
    const stage = await newStage({
      tasks: ONE_TASK,
      config: "[gate]\nmend_rounds = 0\nprotected = ['rehearsal/**']\n",
    });
    const ended = await stage.work("--json");
    expect(ended.exitCode).toBe(1);
    expect(JSON.parse(ended.stdout)).toMatchObject({ outcome: "failed" });
    stage.git("switch", "--quiet", "--create", "elsewhere");
    expect((await saga(stage, "merge", STORY)).stderr).toContain("protected");
    expect((await saga(stage, "accept", STORY)).stderr).toContain("--override protected");
    expect((await saga(stage, "accept", STORY, "--override", "protected")).exitCode).toBe(2);
    const why = ["--override", "protected", "--why", "It had to be."];
    const accepted = await saga(stage, "accept", STORY, ...why);
    expect(accepted.exitCode, accepted.stderr).toBe(0);
    expect((await saga(stage, "show", STORY, "--json")).json()).toMatchObject({ state: "review" });
    const journal = await stage.store.readJournal(STORY);
    expect(journal.entries.at(-1)?.body).toContain("It had to be.");
    expect((await saga(stage, "merge", STORY)).exitCode).toBe(0);
  });

  it("has a key in its history even when a later task took it out", async () => {
    const key = ["AKIA", "QWERTYUIOPASDFGH"].join("");
    const stage = await newStage({
      steps: {
        form: [{ write: "form.txt", content: `key = "${key}"\n` }],
        page: [{ write: "form.txt", content: "nothing\n" }],
      },
    });
    expect((await stage.work()).exitCode).toBe(1);
    const merged = await saga(stage, "merge", STORY);
    expect(merged.stderr).toContain("secret");
    expect(merged.stderr).toContain("form.txt");
    expect(merged.stderr).not.toContain(key);
  });

  it("that was accepted and then sent back is not merged as it was", async () => {
    const stage = await finished();
    expect((await saga(stage, "accept", STORY)).exitCode).toBe(0);
    expect((await saga(stage, "reject", STORY, "All of it is wrong.")).exitCode).toBe(0);
    await stage.store.setTaskStatus(STORY, "rework", "completed");
    expect((await saga(stage, "merge", STORY)).stderr).toContain("A person has sent it back.");
  });

  it("that adds a key is a question for a person, and nothing is pushed or merged", async () => {
    // In two pieces, so that nobody takes this file for the place of a key.
    const key = ["AKIA", "QWERTYUIOPASDFGH"].join("");
    const stage = await newStage({
      tasks: ONE_TASK,
      steps: { form: [{ write: "form.txt", content: `key = "${key}"\n` }] },
    });
    const ended = await stage.work("--json");
    expect(ended.exitCode).toBe(1);
    expect(ended.stdout).not.toContain(key);
    expect(await stage.statuses()).toEqual({ form: "completed" });
    expect((await saga(stage, "merge", STORY)).stderr).toContain("secret");
  });
});

describe("a story that conflicts with its target", () => {
  it("goes to its agent once, with both sides named, and is merged then", async () => {
    const heard: string[] = [];
    const steps = {
      form: [{ write: "README.md", content: "# A project with a form\n" }],
      "resolve-conflict": [{ write: "README.md", content: "# A better project with a form\n" }],
    };
    const stage = await newStage({ tasks: ONE_TASK, script: overheard(heard, steps) });
    expect((await stage.work()).exitCode).toBe(0);
    stage.write("README.md", "# A better project\n");
    stage.git("commit", "--quiet", "--all", "--message=Make it better");
    stage.git("switch", "--quiet", "--create", "elsewhere");
    const conflict = await saga(stage, "merge", STORY, "--json");
    expect(conflict.exitCode).toBe(1);
    expect(conflict.json()).toMatchObject({ kind: "conflict", taskId: "resolve-conflict" });
    const ended = await stage.work();
    expect(ended.exitCode, ended.stdout).toBe(0);
    expect(heard.join()).toContain("Make it better");
    const merged = await saga(stage, "merge", STORY, "--json");
    expect(merged.exitCode, merged.stdout + merged.stderr).toBe(0);
    expect(stage.git("show", "main:README.md")).toBe("# A better project with a form");
  });
});

describe("a story of an epic that is delivered as one", () => {
  it("starts from the epic's branch, and is merged into it", async () => {
    const stage = await newStage({
      tasks: ONE_TASK,
      story: { epic: "shop" },
      config: '[delivery]\nkind = "epic-branch"\n',
    });
    stage.write(".saga/epics/shop/epic.json", anEpic("shop", [{ id: STORY }]));
    expect((await stage.work()).exitCode).toBe(0);
    const merged = await saga(stage, "merge", STORY, "--json");
    expect(merged.exitCode, merged.stdout + merged.stderr).toBe(0);
    expect(merged.json()).toMatchObject({ kind: "merged", into: "epic/shop" });
    expect(stage.git("log", "--format=%s", "main")).toBe("First");
    expect(stage.git("ls-tree", "-r", "--name-only", "epic/shop")).toContain("rehearsal/form.md");
    expect((await saga(stage, "show", STORY, "--json")).json()).toMatchObject({
      state: "completed",
    });
  });
});

describe("a story that needs a tester and a reviewer", () => {
  it("passes when both let it pass, after its agent has mended what they found", async () => {
    const obey = follows();
    const asked: string[] = [];
    const script: Script = (turn) => {
      if (!turn.tools.includes("mcp__saga__verdict")) return obey(turn);
      const prompt = JSON.stringify(turn.messages[0]);
      const who = prompt.includes("You are the tester") ? "test" : "review";
      if (turn.messages.some(({ role }) => role === "assistant"))
        return { kind: "say", blocks: [{ type: "text", text: "Bye." }] };
      asked.push(`${who} ${turn.tools.includes("Bash") ? "runs" : "reads"}`);
      const isPassed = who === "test" || asked.length > 2;
      const findings = isPassed
        ? []
        : [{ file: "rehearsal/form.md", message: "It says too little." }];
      const input = { isPassed, summary: "Looked at it.", findings };
      return { kind: "say", blocks: [{ type: "tool_use", name: "mcp__saga__verdict", input }] };
    };
    const story = { needsTesting: true, needsReview: true };
    const stage = await newStage({ tasks: ONE_TASK, story, script });
    const ended = await stage.work();
    expect(ended.exitCode, ended.stdout).toBe(0);
    expect(asked).toEqual(["test runs", "review reads", "test runs", "review reads"]);
    expect(await stage.statuses()).toEqual({ form: "completed", mend: "completed" });
    expect((await stage.events("gate")).map(({ gate, isPassed }) => [gate, isPassed])).toEqual([
      ["diff", true],
      ["test", true],
      ["review", false],
      ["diff", true],
      ["test", true],
      ["review", true],
    ]);
  });

  it("that has no verdict waits for a person, who may give it", async () => {
    const obey = follows();
    const script: Script = (turn) =>
      turn.tools.includes("mcp__saga__verdict")
        ? { kind: "say", blocks: [{ type: "text", text: "Looks fine to me." }] }
        : obey(turn);
    const config = "[gate]\nmend_rounds = 0\n";
    const stage = await newStage({ tasks: ONE_TASK, story: { needsReview: true }, script, config });
    expect((await stage.work()).exitCode).toBe(1);
    expect((await saga(stage, "merge", STORY)).stderr).toContain("No reviewer has passed it yet.");
    expect((await saga(stage, "accept", STORY)).exitCode).toBe(0);
    stage.git("switch", "--quiet", "--create", "elsewhere");
    expect((await saga(stage, "merge", STORY)).exitCode).toBe(0);
  });
});
