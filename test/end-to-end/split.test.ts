import { describe, expect, it } from "vitest";
import type { Turn } from "../../src/rehearsal/model-server.ts";
import {
  either,
  HANG,
  isAt,
  newFiles,
  isPlanning,
  part,
  PARTS,
  proposes,
  ORIGINAL,
  stalls,
  trailers,
  WATCH,
} from "../support/planner.ts";
import { expectNothingLeft, follows, newStage, STORY, type Stage } from "../support/stage.ts";
import { until } from "../support/until.ts";
import { expectExit } from "../support/expect-exit.ts";

describe("an agent that goes silent", () => {
  it("is stopped, its task is split, and the next run finishes the parts", async () => {
    const prompts: string[] = [];
    const planning = proposes(PARTS);
    const stage = await newStage({
      config: WATCH,
      script: either((turn: Turn) => {
        prompts.push(JSON.stringify(turn.messages));
        return planning(turn);
      }, stalls),
    });
    const ended = await expectExit(0, stage.work("--json"));
    expect(JSON.parse(ended.stdout)).toMatchObject({ outcome: "done", cycles: 2 });

    expect(prompts[0]).toContain("The agent used no tool for 7.2 s.");
    expect(prompts[0]).toContain("No work was done yet.");
    expect(prompts[0]).toContain("These ids are taken: form, page.");
    expect(await stage.statuses()).toEqual({
      form: "completed",
      style: "completed",
      page: "completed",
    });
    expect(stage.commits()).toEqual(["form", "style", "page"]);
    expect(trailers(stage, "Saga-Task-Part")).toEqual([]);
    const { taskFields } = await stage.store.readStory(STORY);
    expect(taskFields.get("form")).toMatchObject({ subject: "Do fields" });
    expect(taskFields.get("page")).toMatchObject({ blockedBy: ["style"] });

    const [split] = await stage.events("task.split");
    expect(split).toMatchObject({ task: "form", into: ["form", "style"] });
    expect((await stage.events("check-in")).map(({ silent }) => silent)).toContain(2);
    const { entries, open } = await stage.store.readJournal(STORY);
    expect(open).toEqual([]);
    expect(entries[0]).toMatchObject({
      kind: "decision",
      title: "form was split into form, style",
      body: "The agent used no tool for 7.2 s.",
    });
    await expectNothingLeft(stage);
  });
});

describe("a task that grows", () => {
  it("is warned once near the ceiling, and past it stopped, committed and split", async () => {
    const warnings: string[] = [];
    const grows = follows({ form: newFiles(7) });
    const planning = proposes(PARTS);
    let prompt = "";
    const stage: Stage = await newStage({
      script: async (turn) => {
        if (isPlanning(turn)) {
          prompt ||= JSON.stringify(turn.messages);
          return planning(turn);
        }
        const messages =
          JSON.stringify(turn.messages).match(/the task form has changed[^.]*/g) ?? [];
        if (messages.length > 0) warnings.splice(0, warnings.length, ...messages);
        const hasCheckIns = async (count: number): Promise<boolean> =>
          (await stage.events("task.grows")).length >= count;
        // The worker looks every few seconds; this agent waits for it where it matters.
        if (isAt(turn, ORIGINAL, 4)) await until(() => hasCheckIns(1));
        if (isAt(turn, ORIGINAL, 6)) return HANG;
        return [0, 1, 2, 3, 4, 5].some((steps) => isAt(turn, ORIGINAL, steps))
          ? grows(turn)
          : follows()(turn);
      },
    });
    await expectExit(0, stage.work());
    expect(warnings).toEqual([
      expect.stringMatching(/^the task form has changed 4 files and 8 lines so far/),
    ]);
    expect(await stage.events("task.grows")).toMatchObject([
      { task: "form", files: 4, lines: 8 },
      { task: "form", files: 6, lines: 12 },
    ]);
    const reason =
      "The task has grown to 6 files and 12 lines; the ceiling for one task is 5 files and 200 lines.";
    expect((await stage.events("task.split"))[0]).toMatchObject({ task: "form", reason });
    expect(prompt).toContain("A part of it is committed and stays.");
    expect(prompt).toContain("grown/0.txt");
    expect(trailers(stage, "Saga-Task-Part")).toEqual(["form"]);
    expect(stage.commits()).toEqual(["form", "fields", "style", "page"]);
    expect(
      stage.git("ls-tree", "--name-only", `story/${STORY}`, "grown/").split("\n"),
    ).toHaveLength(6);
    await expectNothingLeft(stage);
  });
});

describe("a planning run", () => {
  it("that makes three invalid proposals becomes a question, whose answer keeps the task whole", async () => {
    const turns: Turn[] = [];
    const planning = proposes("rubbish", [part("page"), part("x")], [part("only-one")], PARTS);
    let isAnswered = false;
    const stage = await newStage({
      config: WATCH,
      script: either(
        (turn) => {
          turns.push(turn);
          return planning(turn);
        },
        (turn) => (isAnswered ? follows()(turn) : stalls(turn)),
      ),
    });
    await expectExit(3, stage.work("--json"));
    const messages = JSON.stringify(turns.at(-1)?.messages);
    expect(messages).toContain("The list of new tasks is missing.");
    expect(messages).toContain("The task page already exists. Choose another id.");
    expect(messages).toContain("1 task proposed");
    // The fourth, which would do, comes too late.
    expect(turns).toHaveLength(5);
    expect(await stage.events("task.split")).toEqual([]);
    const { open } = await stage.store.readJournal(STORY);
    expect(open).toMatchObject([{ kind: "blocker", title: "How should the task form be split?" }]);
    expect(open[0]?.body).toContain("1 task proposed");
    expect(open[0]?.body).toContain(`saga split ${STORY} form --plan`);
    expect(await stage.statuses()).toEqual({ form: "pending", page: "pending" });
    await expectNothingLeft(stage);

    isAnswered = true;
    await stage.saga("resolve", STORY, "Do it as it is.");
    await expectExit(0, stage.work());
    expect(await stage.statuses()).toEqual({ form: "completed", page: "completed" });
  });
});
