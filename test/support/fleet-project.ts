// Two clones whose project is in a fleet, with the command line in this process.

import { expect } from "vitest";
import type { Environment } from "../../src/machine/processes/environment.ts";
import { shareOf } from "../../src/cli/fleet/open-fleet.ts";
import { openStore } from "../../src/store/file-store.ts";
import type { Store } from "../../src/store/store.ts";
import { takeFence } from "../../src/repo/sharing/lease-ref.ts";
import { newClones, type Clone, type Clones } from "./clones.ts";
import { newDatabase, type PostgresAddress } from "./postgres.ts";
import { anEpic, aStory, aTask, type CommandOutput } from "./project.ts";

export interface FleetProject extends Clones {
  readonly url: string;
  readonly envOf: (clone: Clone) => Environment;
  /** Runs `saga` in a clone, as a machine of that name. */
  readonly saga: (clone: Clone, ...words: string[]) => Promise<CommandOutput>;
}

/** As a command that starts work or decides opens it. */
export const openMemberStore = (project: string, env: Environment): Store =>
  openStore(project, Date.now, shareOf({ project, env }));

/** The epic `shop`: cart, price, and order after both. */
export async function newFleetProject(server: PostgresAddress): Promise<FleetProject> {
  const clones = await newClones();
  const { ann, bob } = clones;
  const children = [
    { id: "cart", blockedBy: [] },
    { id: "price", blockedBy: [] },
    { id: "order", blockedBy: ["cart", "price"] },
  ];
  ann.write(".saga/epics/shop/epic.json", anEpic("shop", children));
  for (const { id } of children) {
    ann.write(`.saga/stories/${id}/story.json`, aStory(id, { epic: "shop" }));
    ann.write(`.saga/stories/${id}/do-${id}.json`, aTask(`do-${id}`));
  }
  ann.write(".saga/config.toml", '[fleet]\nname = "shop"\n');
  ann.git("add", "--all");
  ann.git("commit", "--quiet", "--message=plan");
  ann.git("push", "--quiet", "origin", "HEAD:main");
  bob.git("pull", "--quiet", "--ff-only");
  const url = await newDatabase(server);
  const envOf = ({ env, path }: Clone): Environment => ({
    ...env,
    SAGA_FLEET_URL: url,
    SAGA_FLEET_MACHINE: path === ann.path ? "ann" : "bob",
  });
  const saga: FleetProject["saga"] = (clone, ...words) => clone.sagaWithEnv(envOf(clone), ...words);
  const made = await saga(ann, "fleet", "init");
  if (made.exitCode !== 0) throw new Error(made.stderr);
  return { ...clones, url, envOf, saga };
}

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
