// A person's answer or feedback and the run that takes it up, as one command.

import { describe, expect, it } from "vitest";
import { finishedByClaude, ONE_TASK, saga } from "../support/finished-stage.ts";
import { anEpic, aStory } from "../support/project.ts";
import { newStage, STORY, type Stage } from "../support/stage.ts";
import { expectExit } from "../support/expect-exit.ts";

async function untilReview(stage: Stage): Promise<void> {
  await expect.poll(async () => (await stage.store.viewStory(STORY)).state).toBe("review");
}

describe("--run continues a story at once", () => {
  it("when its question is answered", async () => {
    const stage = await newStage({ tasks: ONE_TASK });
    await saga(stage, "journal", STORY, "--blocker", "Which database?");
    const result = await expectExit(
      0,
      saga(stage, "resolve", STORY, "PostgreSQL.", "--run", "--json"),
    );
    expect(result.json()).toMatchObject({ story: STORY, blocker: "b1", open: [], isStarted: true });
    await untilReview(stage);
  });

  it("when it is sent back", async () => {
    const stage = await finishedByClaude();
    const result = await expectExit(0, saga(stage, "reject", STORY, "Not so.", "--run"));
    expect(result.stdout).toContain(`Sent ${STORY} back. Your feedback is now its task rework.\n`);
    await expect.poll(async () => (await stage.statuses())["rework"]).toBe("completed");
    await untilReview(stage);
  });
});

it("--run does not start a story that has another question, and says which", async () => {
  const stage = await newStage({ tasks: ONE_TASK });
  await saga(stage, "journal", STORY, "--blocker", "Which database?");
  await saga(stage, "journal", STORY, "--blocker", "Which port?");
  const words = ["resolve", STORY, "PostgreSQL.", "--blocker", "b1", "--run"];
  const result = await expectExit(3, saga(stage, ...words));
  expect(result.stdout).toContain(
    `Still open: b2 Which port? Answer it: \`saga resolve ${STORY} --blocker b2 "…"\`.`,
  );
  expect(await stage.store.listRuns(STORY)).toEqual([]);
});

it("an answer is recorded also when the story cannot be started", async () => {
  const stage = await newStage({ tasks: ONE_TASK, story: { epic: "shop" } });
  const first = { id: "first", blockedBy: [] };
  stage.write(".saga/stories/first/story.json", aStory("first", { epic: "shop" }));
  stage.write(
    ".saga/epics/shop/epic.json",
    anEpic("shop", [first, { id: STORY, blockedBy: ["first"] }]),
  );
  await saga(stage, "journal", STORY, "--blocker", "Which database?");
  const result = await expectExit(1, saga(stage, "resolve", STORY, "PostgreSQL.", "--run"));
  expect(result.stderr).toContain(`Answered question b1 of ${STORY}. Not started: `);
  expect((await stage.store.readJournal(STORY)).open).toEqual([]);
});
