import { expect, it } from "vitest";
import { newClones, type Clone } from "../../../test/support/clones.ts";
import { aStory } from "../../../test/support/project.ts";
import { readDeliveries } from "../../repo/records/delivery-record.ts";
import { recordLanding } from "./record-landing.ts";

const ENTRY = { name: "cart", lane: { branch: "main", place: "remote" } } as const;

/** The story is completed in a commit that ann pushes to the target. */
function land({ write, git }: Clone, status: string) {
  const onto = git("rev-parse", "HEAD");
  write(".saga/stories/cart/story.json", aStory("cart", { status }));
  git("add", "--all");
  git("commit", "--quiet", "--message=cart");
  const commit = git("rev-parse", "HEAD");
  git("push", "--quiet", "origin", "HEAD:main");
  return { tip: commit, onto, commit };
}

it("records the delivery once the target shows it, however often", async () => {
  const { ann, bob } = await newClones();
  const landed = land(ann, "completed");
  for (let time = 0; time < 2; time++) await recordLanding(bob, ENTRY, landed);
  expect((await readDeliveries(bob.repository.git, "cart")).done).toMatchObject({
    ...landed,
    target: "main",
  });
});

it("believes no row about a story that the target does not show as completed", async () => {
  const { ann, bob } = await newClones();
  const open = land(ann, "in_progress");
  const tree = bob.git("rev-parse", "HEAD^{tree}");
  const elsewhere = bob.git("commit-tree", tree, "-m", "not in the target");
  for (const landed of [open, { ...open, commit: elsewhere }]) {
    await expect(recordLanding(bob, ENTRY, landed)).rejects.toThrow(
      "Another machine has merged cart, but main does not contain it.",
    );
  }
  expect((await readDeliveries(bob.repository.git, "cart")).done).toBeUndefined();
});
