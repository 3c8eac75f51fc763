// Two clones whose project is in a fleet, with the command line in this process.

import type { Environment } from "../../src/machine/processes/environment.ts";
import { shareOf } from "../../src/cli/fleet/open-fleet.ts";
import { openStore } from "../../src/store/file-store.ts";
import type { Store } from "../../src/store/store.ts";
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
