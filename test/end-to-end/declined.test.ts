// A no to the question whether the checkout of the target may be updated: the command ends at once, and does nothing.

import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readTextIfThere } from "../../src/machine/files/files.ts";
import { ONE_TASK, saga, work } from "../support/finished-stage.ts";
import { anEpic, aStory, snapshot, type Spoken } from "../support/project.ts";
import { newStage, STORY, type Stage } from "../support/stage.ts";

interface Asked {
  readonly stage: Stage;
  /** How often the story's check has run. */
  readonly checksRun: () => number;
  readonly decline: (...words: string[]) => Promise<Spoken>;
}

/** A story of an epic that is ready to merge, and a person on its target. */
async function onTarget(): Promise<Asked> {
  const stage = await newStage({ tasks: ONE_TASK });
  const log = join(stage.home, "checks");
  const story = aStory(STORY, { epic: "shop", checks: [`echo run >> '${log}'`] });
  stage.write(`.saga/stories/${STORY}/story.json`, story);
  stage.write(".saga/epics/shop/epic.json", anEpic("shop", [{ id: STORY, blockedBy: [] }]));
  stage.git("add", "--all");
  stage.git("commit", "--quiet", "--message=Plan");
  await work(stage, 0);
  const { env } = stage;
  return {
    stage,
    checksRun: () => (readTextIfThere(log) ?? "").split("\n").length - 1,
    decline: (...words) => stage.sagaAnswered({ answer: "n", env }, ...words),
  };
}

const stateOf = ({ stage }: Asked): string =>
  [stage.git("for-each-ref"), snapshot(join(stage.path, ".saga"))].join("\n");

async function expectDeclined(asked: Asked, words: string[], text: string): Promise<void> {
  const [before, checks] = [stateOf(asked), asked.checksRun()];
  const { exitCode, stdout, stderr } = await asked.decline(...words);
  expect([exitCode, stdout]).toEqual([4, text]);
  // The question, and no step after it.
  expect(stderr).toMatch(/^main is checked out in .+\? \[y\/N\] $/);
  expect(asked.checksRun()).toBe(checks);
  expect(stateOf(asked)).toBe(before);
}

describe("a no to the question about the checkout of the target", () => {
  it("ends a merge before any check, and a later yes merges", async () => {
    const asked = await onTarget();
    const { stage } = asked;
    await expectDeclined(
      asked,
      ["merge", STORY],
      `${STORY} was not merged; nothing was changed.\nMerge it and update that checkout: \`saga merge ${STORY} --update-checkout\`\n`,
    );
    const yes = await stage.sagaAnswered({ answer: "y", env: stage.env }, "merge", STORY);
    expect(yes.exitCode, yes.stdout + yes.stderr).toBe(0);
    // Merged already: there is nothing to ask.
    const again = await asked.decline("merge", STORY);
    expect([again.exitCode, again.stderr]).toEqual([0, ""]);
  });

  it("ends an acceptance with --merge before it accepts", async () => {
    const asked = await onTarget();
    await expectDeclined(
      asked,
      ["accept", STORY, "--merge"],
      `${STORY} was neither accepted nor merged; nothing was changed.\nTo accept it without merging it, leave out \`--merge\`.\n`,
    );
    const { receipts } = (await saga(asked.stage, "show", STORY, "--json")).json();
    expect(receipts).not.toContainEqual(expect.objectContaining({ gate: "person" }));
  });

  it("ends the run of an epic with --merge before it starts", async () => {
    const asked = await onTarget();
    await expectDeclined(
      asked,
      ["epic", "run", "shop", "--merge"],
      "shop was not started; nothing was changed.\nTo run its stories without merging them, leave out `--merge`.\n",
    );
    expect(await asked.stage.store.leases.list()).toEqual([]);
  });
});

it("`--ask-first` answers with the question before any check", async () => {
  const asked = await onTarget();
  const [before, checks] = [stateOf(asked), asked.checksRun()];
  const { exitCode, json } = await saga(asked.stage, "merge", STORY, "--ask-first", "--json");
  expect(exitCode).toBe(4);
  expect(json()).toMatchObject({
    kind: "checked-out",
    message: `${STORY} was not merged: main is checked out in ${asked.stage.path}.`,
    question: `main is checked out in ${asked.stage.path}. Merge ${STORY} and update that checkout?`,
  });
  expect(asked.checksRun()).toBe(checks);
  expect(stateOf(asked)).toBe(before);
});
