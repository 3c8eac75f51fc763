// Two machines of a fleet, each with finished stories that passed their gate, made without an agent. The lane of `main` at the
// remote is one queue for both.

import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Environment } from "../../src/machine/processes/environment.ts";
import type { LandingQueue } from "../../src/store/queue/queue.ts";
import type { Entry, Lane } from "../../src/story/landing/entry.ts";
import { openMemberStore } from "./fleet-project.ts";
import { newClones, type Clone, type Clones } from "./clones.ts";
import { newDatabase, type PostgresAddress } from "./postgres.ts";
import { aStory, aTask, type CommandOutput } from "./project.ts";
import { SUITE, type ReadyStory } from "./ready-stories.ts";
import { prepare } from "./repository.ts";

export const REMOTE_MAIN: Lane = { branch: "main", place: "remote" };

export interface FleetLane extends Clones {
  readonly url: string;
  readonly machines: Readonly<Record<"ann" | "bob", FleetMachine>>;
  /** What the checks have logged since the stories were ready: one line for each run. */
  readonly checksRun: () => string[];
  /** The subjects of the commits that landed, oldest first. */
  readonly landed: () => string[];
}

export interface FleetMachine {
  readonly clone: Clone;
  readonly env: Environment;
  readonly queue: LandingQueue;
  readonly saga: (...words: string[]) => Promise<CommandOutput>;
  /** Without a process that waits for it. */
  readonly enqueue: (storyId: string) => Promise<Entry>;
}

interface LaneOptions {
  readonly ann: readonly ReadyStory[];
  readonly bob: readonly ReadyStory[];
  readonly config?: string;
  readonly suite?: (log: string) => string;
}

export async function newFleetLane(
  server: PostgresAddress,
  { ann: ofAnn, bob: ofBob, config = "", suite = () => SUITE }: LaneOptions,
): Promise<FleetLane> {
  const clones = await newClones();
  const { ann, bob } = clones;
  const url = await newDatabase(server);
  const log = join(ann.path, "../checks.log");
  writeFileSync(log, "");
  ann.write("check.sh", `echo run >> '${log}'\n${suite(log)}\n`);
  ann.write(".saga/config.toml", `${config}\n[fleet]\nname = "shop"\n`);
  ann.git("rm", "-rqf", ".saga/stories");
  for (const { id, more } of [...ofAnn, ...ofBob]) {
    ann.write(
      `.saga/stories/${id}/story.json`,
      aStory(id, { status: "pending", checks: ["sh check.sh"], ...more }),
    );
    ann.write(`.saga/stories/${id}/form.json`, aTask("form"));
  }
  ann.git("add", "--all");
  ann.git("commit", "--quiet", "--message=plan");
  ann.git("push", "--quiet", "origin", "HEAD:main");
  bob.git("pull", "--quiet", "--ff-only");
  const start = ann.git("rev-parse", "HEAD");
  const machines = { ann: machineOf(ann, "ann", url), bob: machineOf(bob, "bob", url) };
  await succeeds(machines.ann.saga("fleet", "init"));
  for (const [machine, stories] of [
    [machines.ann, ofAnn],
    [machines.bob, ofBob],
  ] as const) {
    for (const story of stories) await finish(machine, story);
  }
  appendFileSync(log, "ready\n");
  const remoteGit = (...args: string[]): string => ann.git(`--git-dir=${clones.remote}`, ...args);
  return {
    ...clones,
    url,
    machines,
    checksRun() {
      const lines = readFileSync(log, "utf8").trim().split("\n");
      return lines.slice(lines.indexOf("ready") + 1);
    },
    landed: () =>
      remoteGit("log", "--reverse", "--format=%s", `${start}..main`).split("\n").filter(Boolean),
  };
}

function machineOf(clone: Clone, name: string, url: string): FleetMachine {
  const env = { ...clone.env, HOME: clone.path, SAGA_FLEET_URL: url, SAGA_FLEET_MACHINE: name };
  const { queue } = openMemberStore(clone.path, env);
  return {
    clone,
    env,
    queue,
    saga: (...words) => clone.sagaWithEnv(env, ...words),
    enqueue: (id) =>
      queue.enqueue({
        kind: "story",
        name: id,
        lane: REMOTE_MAIN,
        priority: 3,
        by: "saga merge",
        after: [],
        checks: ["sh check.sh"],
      }),
  };
}

/** As a worker leaves it, and accepted by a person: so its branch, its owner and its receipts are shared. */
async function finish({ clone, saga }: FleetMachine, { id, files }: ReadyStory): Promise<void> {
  const { folder } = await prepare(clone, { storyId: id });
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  for (const file of ["form.json", "story.json"]) {
    const path = join(folder, `.saga/stories/${id}`, file);
    writeFileSync(path, readFileSync(path, "utf8").replace('"pending"', '"completed"'));
  }
  clone.gitIn(folder, "add", "--all");
  const message = `Do ${id}\n\nSaga-Story: ${id}\nSaga-Task: form`;
  clone.gitIn(folder, "commit", "--quiet", `--message=${message}`);
  await succeeds(saga("accept", id));
}

async function succeeds(running: Promise<CommandOutput>): Promise<void> {
  const { exitCode, stderr, stdout } = await running;
  if (exitCode !== 0) throw new Error(stderr + stdout);
}
