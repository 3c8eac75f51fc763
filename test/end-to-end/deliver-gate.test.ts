import { describe, expect, it } from "vitest";
import type { Script } from "../../src/rehearsal/model-server.ts";
import { finishedByClaude, finishedStage, ONE_TASK, saga } from "../support/finished-stage.ts";
import { follows, newStage, STORY } from "../support/stage.ts";
import { expectExit } from "../support/expect-exit.ts";

it("the cost of a story that was sent back counts each conversation once", async () => {
  const stage = await finishedByClaude();
  for (const why of ["Call it login.txt", "Call it sign-in.txt"]) {
    expect((await saga(stage, "reject", STORY, why)).exitCode).toBe(0);
    expect((await stage.work()).exitCode).toBe(0);
  }
  // The last bill of a conversation holds all that was paid for it.
  const bills = new Map<unknown, number>();
  let conversation: unknown;
  for (const event of await stage.events()) {
    if (event.type === "agent.started") conversation = event["conversation"];
    if (event.type === "agent.billed") bills.set(conversation, Number(event["costUsd"]));
  }
  const paid = [...bills.values()].reduce((sum, bill) => sum + bill, 0);
  const runs = await stage.store.listRuns(STORY);
  expect(runs.reduce((sum, { costUsd }) => sum + costUsd, 0)).toBeCloseTo(paid, 6);
});

describe("a story that its gate refuses", () => {
  it("goes to its agent with the reason, and passes after the fix", async () => {
    const stage = await newStage({
      tasks: ONE_TASK,
      story: { checks: ["test -e rehearsal/fix.md"] },
    });
    await expectExit(0, stage.work());
    expect(await stage.statuses()).toEqual({ form: "completed", fix: "completed" });
    expect((await stage.events("gate")).map(({ isPassed }) => isPassed)).toEqual([
      true,
      false,
      // Its own check, then the gate again.
      true,
      true,
      true,
    ]);
  });

  it("fails if it cannot be fixed; a person may override the rule with a reason", async () => {
    const stage = await newStage({
      tasks: ONE_TASK,
      config: "[gate]\nfix_rounds = 0\nprotected = ['rehearsal/**']\n",
    });
    const ended = await expectExit(1, stage.work("--json"));
    expect(JSON.parse(ended.stdout)).toMatchObject({ outcome: "failed" });
    stage.git("switch", "--quiet", "--create", "elsewhere");
    expect((await saga(stage, "merge", STORY)).stderr).toContain("protected");
    expect((await saga(stage, "accept", STORY)).stderr).toContain("--override protected");
    expect((await saga(stage, "accept", STORY, "--override", "protected")).exitCode).toBe(64);
    const why = ["--override", "protected", "--why", "It had to be."];
    await expectExit(0, saga(stage, "accept", STORY, ...why));
    expect((await saga(stage, "show", STORY, "--json")).json()).toMatchObject({ state: "review" });
    const journal = await stage.store.readJournal(STORY);
    expect(journal.entries.at(-1)?.body).toContain("It had to be.");
    expect((await saga(stage, "merge", STORY)).exitCode).toBe(0);
  });

  it("is refused with the failed rule, not with the checks that did not run because of it", async () => {
    const stage = await newStage({
      tasks: ONE_TASK,
      story: { checks: ["true"], writeFiles: ["src/**"] },
      config: "[gate]\nfix_rounds = 0\n",
    });
    expect((await stage.work()).exitCode).toBe(1);
    const merged = await saga(stage, "merge", STORY);
    expect(merged.stderr).toContain("undeclared: ");
    expect(merged.stderr).not.toContain("was not run");
  });

  it("is refused for a key in its history even if a later task removed it", async () => {
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

  it("that was accepted and then sent back is not merged unchanged", async () => {
    const stage = await finishedStage();
    expect((await saga(stage, "accept", STORY)).exitCode).toBe(0);
    expect((await saga(stage, "reject", STORY, "All of it is wrong.")).exitCode).toBe(0);
    await stage.store.setTaskStatus(STORY, "rework", "completed");
    expect((await saga(stage, "merge", STORY)).stderr).toContain("A person sent it back.");
  });

  it("that adds a key is a question for a person, and nothing is pushed or merged", async () => {
    // In two pieces, so that this file does not look like the place of a key.
    const key = ["AKIA", "QWERTYUIOPASDFGH"].join("");
    const stage = await newStage({
      tasks: ONE_TASK,
      steps: { form: [{ write: "form.txt", content: `key = "${key}"\n` }] },
    });
    const ended = await expectExit(1, stage.work("--json"));
    expect(ended.stdout).not.toContain(key);
    expect(await stage.statuses()).toEqual({ form: "completed" });
    expect((await saga(stage, "merge", STORY)).stderr).toContain("secret");
  });
});

describe("a story that needs a tester and a reviewer", () => {
  it("passes when both pass it, after its agent fixed their findings", async () => {
    const obey = follows();
    const inspections: string[] = [];
    const script: Script = (turn) => {
      if (!turn.tools.includes("mcp__saga__verdict")) return obey(turn);
      const prompt = JSON.stringify(turn.messages[0]);
      const who = prompt.includes("You are the tester") ? "test" : "review";
      if (turn.messages.some(({ role }) => role === "assistant"))
        return { kind: "say", blocks: [{ type: "text", text: "Bye." }] };
      inspections.push(`${who} ${turn.tools.includes("Bash") ? "runs" : "reads"}`);
      const isPassed = who === "test" || inspections.length > 2;
      const findings = isPassed
        ? []
        : [{ file: "rehearsal/form.md", message: "It says too little." }];
      const input = { isPassed, summary: "Looked at it.", findings };
      return { kind: "say", blocks: [{ type: "tool_use", name: "mcp__saga__verdict", input }] };
    };
    const story = { needsTesting: true, needsReview: true };
    const stage = await newStage({ tasks: ONE_TASK, story, script });
    await expectExit(0, stage.work());
    expect(inspections).toEqual(["test runs", "review reads", "test runs", "review reads"]);
    expect(await stage.statuses()).toEqual({ form: "completed", fix: "completed" });
    expect((await stage.events("gate")).map(({ gate, isPassed }) => [gate, isPassed])).toEqual([
      ["diff", true],
      ["test", true],
      ["review", false],
      ["diff", true],
      ["test", true],
      ["review", true],
    ]);
  });

  it("without a verdict waits for a person's decision", async () => {
    const obey = follows();
    const script: Script = (turn) =>
      turn.tools.includes("mcp__saga__verdict")
        ? { kind: "say", blocks: [{ type: "text", text: "Looks fine to me." }] }
        : obey(turn);
    const config = "[gate]\nfix_rounds = 0\n";
    const stage = await newStage({ tasks: ONE_TASK, story: { needsReview: true }, script, config });
    expect((await stage.work()).exitCode).toBe(1);
    expect((await saga(stage, "merge", STORY)).stderr).toContain(
      "The reviewer has not passed it yet.",
    );
    expect((await saga(stage, "accept", STORY)).exitCode).toBe(0);
    stage.git("switch", "--quiet", "--create", "elsewhere");
    expect((await saga(stage, "merge", STORY)).exitCode).toBe(0);
  });
});
