import { expect } from "vitest";
import { takeFence } from "../../src/repo/sharing/lease-ref.ts";
import type { FleetProject } from "./fleet-project.ts";
import { aStory, aTask } from "./project.ts";

export interface SharedStory {
  readonly tip: string;
  /** The snapshot of uncommitted work, at the remote. */
  readonly half: string;
}

/** Ann's machine has worked on cart, with a snapshot between its commits, and pushed all of it. */
export async function shareCart({ ann }: FleetProject): Promise<SharedStory> {
  const owner = { storyId: "cart", fence: 1, machine: "ann", isMine: async () => true };
  const fence = await takeFence(ann.repository, owner, () => expect.unreachable());
  ann.git("checkout", "--quiet", "-b", "story/cart");
  ann.write("cart.txt", "half\n");
  ann.git("add", "--all");
  ann.git("commit", "--quiet", "--message=start");
  const half = ann.git("commit-tree", "-p", "HEAD", "-m", "check-in", "HEAD^{tree}");
  ann.write("cart.txt", "whole\n");
  ann.write(".saga/stories/cart/story.json", aStory("cart", { epic: "shop", status: "completed" }));
  ann.write(".saga/stories/cart/do-cart.json", aTask("do-cart", { status: "completed" }));
  ann.git("add", "--all");
  ann.git("commit", "--quiet", "--message=cart");
  const tip = ann.git("rev-parse", "HEAD");
  await fence.push(["HEAD:refs/heads/story/cart", `${half}:refs/saga/keep/cart/1-ann-1`]);
  ann.git("checkout", "--quiet", "main");
  return { tip, half };
}
