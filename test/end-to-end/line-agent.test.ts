// Whole stories with another agent than Claude Code, through the same interface and with the same rules.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readReceipts } from "../../src/store/runs/receipts.ts";
import { workInLines } from "../support/line-work.ts";
import { aTask } from "../support/project.ts";
import { expectNothingLeft, newStage, STORY, type Stage } from "../support/stage.ts";

const refusals = async (stage: Stage, type: string): Promise<string> =>
  (await stage.events(type)).map(({ reason }) => String(reason)).join("\n");

describe("an agent that speaks JSON lines", () => {
  it("works through a story: a commit for each task, a gate, and a story in review", async () => {
    const stage = await newStage({
      tasks: [
        aTask("form", { checks: ["test -e form.txt"] }),
        aTask("page", { blockedBy: ["form"] }),
      ],
      story: { checks: ["test -e page.txt"] },
    });
    const result = await workInLines(stage, {});
    expect(result).toMatchObject({
      outcome: "done",
      cycles: 1,
      costUsd: 0.1,
      costIsEstimate: true,
    });
    expect(await stage.statuses()).toEqual({ form: "completed", page: "completed" });
    expect(stage.commits()).toEqual(["form", "page"]);
    const trailers = "--format=%(trailers:key=Saga-Story,valueonly,separator=)";
    expect(stage.git("log", "-2", trailers, `story/${STORY}`).split("\n")).toEqual([STORY, STORY]);
    expect(stage.git("show", `story/${STORY}:page.txt`)).toBe("page");
    expect((await stage.store.viewStory(STORY)).state).toBe("review");
    const { receipts } = await readReceipts({ ...stage, now: Date.now }, STORY);
    expect(receipts.map(({ gate, isPassed }) => [gate, isPassed])).toEqual([
      ["check", true],
      ["diff", true],
      ["check", true],
    ]);
    // Claude Code was not used.
    expect(stage.model.turns()).toBe(0);
    expect((await stage.store.listRuns(STORY))[0]).toMatchObject({
      conversation: "line-1",
      model: "line-model",
    });
    await expectNothingLeft(stage);
  });

  it("asks a person, and the story waits for the answer", async () => {
    const stage = await newStage();
    const result = await workInLines(stage, { form: [{ do: "ask", title: "Which colour?" }] });
    expect(result.outcome).toBe("blocked");
    expect((await stage.store.readJournal(STORY)).open).toMatchObject([{ title: "Which colour?" }]);
    expect(await refusals(stage, "tool.refused")).toContain("Your question is recorded.");
    await expectNothingLeft(stage);
  });

  it("is refused a completion without work, and fails the story after two runs", async () => {
    const stage = await newStage();
    expect(await workInLines(stage, { form: [], page: [] })).toMatchObject({
      outcome: "failed",
      cycles: 2,
      reason: expect.stringContaining("completed no task") as string,
    });
    expect(await refusals(stage, "task.refused")).toContain("No work was done");
    expect(stage.commits()).toEqual([]);
    await expectNothingLeft(stage);
  });

  it("is refused a file outside of its worktree, and the gate finds one that it wrote unasked", async () => {
    const stage = await newStage({
      tasks: [aTask("form")],
      story: { writeFiles: ["form.txt"] },
      config: "[gate]\nfix_rounds = 0\n",
    });
    const outside = join(stage.path, "stolen.txt");
    const result = await workInLines(stage, {
      form: [
        { do: "write", path: outside, text: "x\n" },
        { do: "write", path: "form.txt", text: "form\n" },
        { do: "sneak", path: "sneaked.txt", text: "x\n" },
      ],
    });
    expect(await refusals(stage, "tool.refused")).toContain("stolen.txt");
    expect(existsSync(outside)).toBe(false);
    expect(result).toMatchObject({
      outcome: "failed",
      reason: expect.stringContaining("sneaked.txt") as string,
    });
    await expectNothingLeft(stage);
  });

  it("is ended with all of its processes when it hangs", async () => {
    const stage = await newStage({
      tasks: [aTask("form")],
      config: "[watch]\ncheck_in_minutes = 0.005\nsilent_check_ins = 2\nplan_minutes = 0.02\n",
    });
    const result = await workInLines(stage, { form: [{ do: "hang" }] });
    // The planner is the same agent, and has no proposal: a person is asked.
    expect(result.outcome).toBe("blocked");
    const [question] = (await stage.store.readJournal(STORY)).open;
    expect(question?.title).toContain("How should the task form be split?");
    await expectNothingLeft(stage);
  });

  it("is stopped when it has spent its budget", async () => {
    const stage = await newStage();
    expect(
      await workInLines(stage, { form: [{ do: "hang" }] }, { maxCostUsd: 0.05 }),
    ).toMatchObject({
      outcome: "limit",
      reason: expect.stringContaining("Cost limit reached") as string,
    });
    await expectNothingLeft(stage);
  });
});
