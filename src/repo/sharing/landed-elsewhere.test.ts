import { expect, it } from "vitest";
import { newClones, type Clone } from "../../../test/support/clones.ts";
import { findBase } from "../repository.ts";
import { landedElsewhere } from "./landed-elsewhere.ts";

const STORY = "cart";

/** Ann pushes the story's branch, with one commit; what lands in main is up to the test. */
async function newStory(land: (ann: Clone, tip: string) => void) {
  const { ann, bob } = await newClones();
  ann.git("checkout", "--quiet", "-b", "story/cart");
  ann.write("cart.txt", "cart\n");
  ann.git("add", "--all");
  ann.git("commit", "--quiet", "--message=cart");
  const tip = ann.git("rev-parse", "HEAD");
  ann.git("push", "--quiet", "origin", "story/cart");
  ann.git("checkout", "--quiet", "main");
  ann.git("commit", "--quiet", "--allow-empty", "--message=other work");
  land(ann, tip);
  ann.git("push", "--quiet", "origin", "main");
  bob.git("pull", "--quiet", "--ff-only");
  const base = await findBase(bob.repository, undefined);
  return {
    tip,
    ask: (isCompleted: boolean, branch: string | undefined) =>
      landedElsewhere(bob.repository, base, { storyId: STORY, isCompleted, branch }),
  };
}

it.each([
  ["merged", ["merge", "--quiet", "--no-ff", "--no-edit"]],
  ["rebased", ["cherry-pick"]],
] as const)("finds a story that was %s", async (_, command) => {
  const { ask, tip } = await newStory((ann, commit) => ann.git(...command, commit));
  expect(await ask(true, tip)).toMatchObject({ tip, target: "main" });
  expect(await ask(true, undefined)).toMatchObject({ tip: undefined, target: "main" });
  expect(await ask(false, tip)).toBeUndefined();
});

it("does not find a story with commits that the target lacks, whatever its files say", async () => {
  const { ask, tip } = await newStory(() => undefined);
  expect(await ask(true, tip)).toBeUndefined();
  expect(await ask(true, "0".repeat(40))).toBeUndefined();
});

it("does not find a story that was reverted", async () => {
  const { ask, tip } = await newStory((ann, commit) => {
    ann.git("cherry-pick", commit);
    ann.git("revert", "--no-edit", "HEAD");
  });
  expect(await ask(true, tip)).toBeUndefined();
});
