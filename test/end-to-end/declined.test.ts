// A no to the question whether the checkout of the target may be updated: the command ends at once, and does nothing.

import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readTextIfThere } from "../../src/machine/files/files.ts";
import { ONE_TASK, saga, workWithoutClaude } from "../support/finished-stage.ts";
import { anEpic, aStory, snapshot, type CommandOutput } from "../support/project.ts";
import { newStage, STORY, type Stage } from "../support/stage.ts";

interface MergeStage {
  readonly stage: Stage;
  /** How often the story's check has run. */
  readonly checksRun: () => number;
  readonly decline: (...words: string[]) => Promise<CommandOutput>;
}

/** A story of an epic that is ready to merge, and a person on its target. */
async function onTarget(): Promise<MergeStage> {
  const stage = await newStage({ tasks: ONE_TASK });
  const log = join(stage.home, "checks");
  const story = aStory(STORY, { epic: "shop", checks: [`echo run >> '${log}'`] });
  stage.write(`.saga/stories/${STORY}/story.json`, story);
  stage.write(".saga/epics/shop/epic.json", anEpic("shop", [{ id: STORY, blockedBy: [] }]));
  stage.git("add", "--all");
  stage.git("commit", "--quiet", "--message=Plan");
  await workWithoutClaude(stage, 0);
  const { env } = stage;
  return {
    stage,
    checksRun: () => (readTextIfThere(log) ?? "").split("\n").length - 1,
    decline: (...words) => stage.sagaAnswered({ answer: "n", env }, ...words),
  };
}

const stateOf = ({ stage }: MergeStage): string =>
  [stage.git("for-each-ref"), snapshot(join(stage.path, ".saga"))].join("\n");

async function expectDeclined(scene: MergeStage, words: string[], text: string): Promise<void> {
  const [before, checks] = [stateOf(scene), scene.checksRun()];
  const { exitCode, stdout, stderr } = await scene.decline(...words);
  expect([exitCode, stdout]).toEqual([4, text]);
  // The question, and no step after it.
  expect(stderr).toMatch(/^main is checked out in .+\? \[y\/N\] $/);
  expect(scene.checksRun()).toBe(checks);
  expect(stateOf(scene)).toBe(before);
}

describe("a no to the question about the checkout of the target", () => {
  it("ends a merge before any check, and a later yes merges", async () => {
    const scene = await onTarget();
    const { stage } = scene;
    await expectDeclined(
      scene,
      ["merge", STORY],
      `${STORY} was not merged; nothing was changed.\nMerge it and update that checkout: \`saga merge ${STORY} --update-checkout\`\n`,
    );
    const yes = await stage.sagaAnswered({ answer: "y", env: stage.env }, "merge", STORY);
    expect(yes.exitCode, yes.stdout + yes.stderr).toBe(0);
    // Merged already: there is nothing to ask.
    const again = await scene.decline("merge", STORY);
    expect([again.exitCode, again.stderr]).toEqual([0, ""]);
  });

  it("ends an acceptance with --merge before it accepts", async () => {
    const scene = await onTarget();
    await expectDeclined(
      scene,
      ["accept", STORY, "--merge"],
      `${STORY} was neither accepted nor merged; nothing was changed.\nTo accept it without merging it, leave out \`--merge\`.\n`,
    );
    const { receipts } = (await saga(scene.stage, "show", STORY, "--json")).json();
    expect(receipts).not.toContainEqual(expect.objectContaining({ gate: "person" }));
  });

  it("ends the run of an epic with --merge before it starts", async () => {
    const scene = await onTarget();
    await expectDeclined(
      scene,
      ["epic", "run", "shop", "--merge"],
      "shop was not started; nothing was changed.\nTo run its stories without merging them, leave out `--merge`.\n",
    );
    expect(await scene.stage.store.leases.list()).toEqual([]);
  });
});

it("`--ask-first` answers with the question before any check", async () => {
  const scene = await onTarget();
  const [before, checks] = [stateOf(scene), scene.checksRun()];
  const { exitCode, json } = await saga(scene.stage, "merge", STORY, "--ask-first", "--json");
  expect(exitCode).toBe(4);
  expect(json()).toMatchObject({
    kind: "checked-out",
    message: `${STORY} was not merged: main is checked out in ${scene.stage.path}.`,
    question: `main is checked out in ${scene.stage.path}. Merge ${STORY} and update that checkout?`,
  });
  expect(scene.checksRun()).toBe(checks);
  expect(stateOf(scene)).toBe(before);
});
