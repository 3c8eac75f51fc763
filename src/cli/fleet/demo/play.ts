// The fleet's demo: a database, a bare remote and three machines, each with a home and a clone of its own. Everything is
// real except the model. One machine is killed with everything that it started; the others finish its work.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openFleetOf } from "../open-fleet.ts";
import { newEndWatch } from "../../../fleet/backlog/epic-run.ts";
import { fleetWorkText } from "../../../story/state/fleet-work.ts";
import { SagaError } from "../../../errors.ts";
import type { Fleet } from "../../../fleet/fleet.ts";
import { newPostgres } from "../../../fleet/postgres/server.ts";
import { fleetView } from "../../../fleet/view/read-fleet.ts";
import type { Environment } from "../../../machine/processes/environment.ts";
import { pause, waitUntil } from "../../../machine/processes/timer.ts";
import { openGit } from "../../../machine/programs/git.ts";
import { startModel } from "../../../rehearsal/model-server.ts";
import { leaseRef } from "../../../repo/sharing/lease-ref.ts";
import { factsIn } from "../../../repo/sharing/note-ref.ts";
import { storyLease } from "../../../store/leases/lease-names.ts";
import { storyBranch } from "../../../story/definition/names.ts";
import { demoStopped, newDemoMember, type DemoMember } from "./member.ts";
import { codeTask, DEMO_EPIC, demoStoryIds, fleetDemoPlan } from "./plan.ts";
import { postgresForDemo } from "./postgres.ts";
import { newScene, type Reached } from "./scene.ts";
import {
  demoResult,
  type FencedOwner,
  type FleetDemoResult,
  type KilledMember,
} from "./summary.ts";
import type { Context } from "../../../context.ts";

export interface FleetDemoStage extends Pick<Context, "env" | "stop"> {
  /** An empty folder for the demo. */
  readonly folder: string;
  readonly program: readonly string[];
  readonly printLine: (sentence: string) => void;
}

const MACHINES = ["ann", "bob", "cal"] as const;
const POLL_MS = 500;
const LIMIT_MS = 600_000;
const PUSH_LIMIT_MS = 20_000;

export async function playFleetDemo(stage: FleetDemoStage): Promise<FleetDemoResult> {
  const { folder, env, stop, printLine } = stage;
  const startedMs = performance.now();
  const ending: (() => Promise<void>)[] = [];
  try {
    const programs = await postgresForDemo({ ...stage, folder: join(folder, "postgres") });
    printLine("Starting PostgreSQL …");
    const server = await newPostgres(programs);
    ending.push(server.remove);
    const scene = newScene();
    const model = await startModel(scene.script);
    ending.push(model.close);
    const remote = await newRemote(folder, env);
    const members: DemoMember[] = [];
    ending.push(async () => void (await Promise.all(members.map((one) => one.end()))));
    for (const name of MACHINES) {
      const request = {
        ...stage,
        name,
        remote,
        databaseUrl: server.url(),
        modelUrl: model.url(name),
      };
      const member = await newDemoMember(request);
      members.push(member);
      if (members.length === 1) {
        printLine(`Planning an epic of ${demoStoryIds.length} stories, and setting up the fleet …`);
        await setUp(member);
      }
    }
    const [first] = members;
    if (first === undefined) throw new RangeError("no member");
    printLine(`${MACHINES.join(", ")} join the fleet, with one slot each.`);
    for (const member of members) member.join();
    await first.saga(["epic", "run", DEMO_EPIC, "--fleet", "--merge", "--detach"]);
    const fleet = await openFleetOf(first, { fleet: { name: "demo" } });
    ending.push(fleet.close);
    const killing = killOne(scene.reached, { members, fleet, remote, stage });
    const following = followStories(fleet, { printLine, stop, members });
    // One that fails ends the demo, whatever the other waits for.
    const [killed] = await Promise.all([killing, following]);
    return demoResult({
      stories: demoStoryIds,
      ...(await readRemote(remote, env)),
      killed,
      seconds: (performance.now() - startedMs) / 1000,
    });
  } finally {
    printLine("Ending the members and the database …");
    for (const end of ending.toReversed()) await end().catch(() => undefined);
  }
}

async function newRemote(folder: string, env: Environment): Promise<string> {
  const remote = join(folder, "remote.git");
  const git = openGit(folder, env);
  await git.ask(["init", "--quiet", "--bare", "--initial-branch=main", remote]);
  // Each push that the remote accepts: refs of landed stories are deleted, and their history with them.
  const hook = '#!/bin/sh\ncat >> "$GIT_DIR/pushes.log"\n';
  writeFileSync(join(remote, "hooks/post-receive"), hook, { mode: 0o755 });
  return remote;
}

async function setUp({ saga, git }: DemoMember): Promise<void> {
  await git.ask(["commit", "--quiet", "--allow-empty", "--message=Start"]);
  await saga(["init"]);
  await saga(["stage", "-"], JSON.stringify(fleetDemoPlan));
  await git.ask(["push", "--quiet", "origin", "HEAD:main"]);
  await saga(["fleet", "init", "--name", "demo"]);
  await git.ask(["add", "--all"]);
  await git.ask(["commit", "--quiet", "--message=Plan"]);
  await git.ask(["push", "--quiet", "origin", "HEAD:main"]);
}

interface Play {
  readonly members: readonly DemoMember[];
  readonly fleet: Fleet;
  readonly remote: string;
  readonly stage: FleetDemoStage;
}

async function killOne(
  reached: Promise<Reached>,
  { members, fleet, remote, stage: { env, stop, printLine } }: Play,
): Promise<KilledMember> {
  const { machine, story } = await Promise.race([reached, aborted(stop)]);
  const git = openGit(remote, env);
  const hasCommit = async (): Promise<boolean> => {
    const log = await git.attempt(["log", "-1", `--format=${TASK}`, storyBranch(story)]);
    return log.isOk && log.stdout.trim() === codeTask(story);
  };
  await waitUntil(hasCommit, { maxMs: PUSH_LIMIT_MS, stop });
  const before = await readLease(fleet, story);
  const processes = members.find(({ name }) => name === machine)?.kill() ?? 0;
  printLine(`✗ ${machine} is killed with ${processes} processes, in the middle of ${story}.`);
  const sinceHeartbeat = (at: Date): number => (at.getTime() - before.renewedAt.getTime()) / 1000;
  let freedAt: Date | undefined;
  const jobs = await fleet.openJobs();
  try {
    for (;;) {
      const job = (await jobs.list()).find((one) => one.story === story);
      if (job?.state !== "active") freedAt ??= new Date();
      const { fence, machine: continuedBy, takenAt } = await readLease(fleet, story);
      if (fence > before.fence) {
        return {
          machine,
          story,
          processes,
          continuedBy: continuedBy ?? "",
          freedSeconds: sinceHeartbeat(freedAt ?? takenAt),
          takenSeconds: sinceHeartbeat(takenAt),
        };
      }
      if (stop.aborted) throw demoStopped();
      await pause(POLL_MS, stop);
    }
  } finally {
    await jobs.close();
  }
}

async function readLease({ database, schema }: Fleet, story: string) {
  const [row] = await database.query<{
    readonly fence: string;
    readonly machine: string | null;
    readonly taken_at: Date;
    readonly renewed_at: Date;
  }>(
    `SELECT fence, record->>'machine' AS machine, taken_at, renewed_at FROM ${schema}.lease WHERE name = $1`,
    [storyLease(story)],
  );
  if (row === undefined) throw new SagaError("bug", `${story} has no lease.`);
  const { fence, machine, taken_at: takenAt, renewed_at: renewedAt } = row;
  return { fence: Number(fence), machine, takenAt, renewedAt };
}

interface Following extends Pick<FleetDemoStage, "printLine" | "stop"> {
  readonly members: readonly DemoMember[];
}

/** Tells each change of a story, until all are done. */
async function followStories(fleet: Fleet, { printLine, stop, members }: Following): Promise<void> {
  const jobs = await fleet.openJobs();
  const shown = new Map<string, string>();
  const findEnd = newEndWatch();
  try {
    for (const endMs = performance.now() + LIMIT_MS; performance.now() < endMs;) {
      const { stories } = fleetView(fleet, {
        machines: [],
        jobs: await jobs.list(),
        leases: await fleet.leases.list(),
      });
      for (const one of stories) {
        // Between its steps a story is only claimed.
        if (one.machine === undefined && one.queue !== "done") continue;
        const about = fleetWorkText(one);
        if (shown.get(one.story) !== about) printLine(`  ${one.story}  ${about}`);
        shown.set(one.story, about);
      }
      const end = findEnd(stories.map(({ queue }) => queue));
      if (end === "done") return;
      if (end === "parked") break;
      if (stop.aborted) throw demoStopped();
      await pause(POLL_MS, stop);
    }
  } finally {
    await jobs.close();
  }
  const outputs = members.map((one) => `${one.name}: ${one.lastOutput()}`).join("\n");
  throw new SagaError("bug", "The demo's stories did not finish.", { hint: outputs });
}

const TASK = "%(trailers:key=Saga-Task,valueonly,separator=%x2C)";

async function readRemote(remote: string, env: Environment) {
  const git = openGit(remote, env);
  const log = await git.ask(["log", `--format=%an %x09${TASK}`, "main"]);
  const commits = log.split("\n").flatMap((line) => {
    const [machine = "", task = ""] = line.split("\t").map((part) => part.trim());
    return task === "" ? [] : [{ task, machine }];
  });
  const owners = new Map<string, readonly FencedOwner[]>();
  for (const story of demoStoryIds) {
    const moved = movesOf(readFileSync(join(remote, "pushes.log"), "utf8"), leaseRef(story));
    const notes = moved.length === 0 ? "" : await git.ask([...SHOW_MESSAGES, ...moved]);
    owners.set(story, notes.split("\0").map(factsIn).flatMap(ownerIn));
  }
  return { commits, owners };
}

const SHOW_MESSAGES = ["log", "--no-walk=unsorted", "--format=%B%x00"];

/** The commits that a ref was moved to, in their order, from the lines that a hook of the remote got. */
export const movesOf = (log: string, name: string): string[] =>
  log.split("\n").flatMap((line) => {
    const [, to = "", ref] = line.split(" ");
    return ref === name && !/^0*$/.test(to) ? [to] : [];
  });

const ownerIn = ({ Fence, Machine }: ReturnType<typeof factsIn>): FencedOwner[] =>
  Fence === undefined || Machine === undefined ? [] : [{ fence: Number(Fence), machine: Machine }];

const aborted = (stop: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const refuse = (): void => reject(demoStopped());
    if (stop.aborted) refuse();
    else stop.addEventListener("abort", refuse, { once: true });
  });
