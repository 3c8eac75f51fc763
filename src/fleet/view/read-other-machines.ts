// Brings what the fleet knows to this machine, so that every command and page here says the same as on the others:
//
//   from the engine   who works on what at this moment, what waits to land, and what runs did and cost
//   from git          the files of stories that another machine has, and which stories are merged
//
// Commands that only look read the result from files. They connect to nothing, and fetch nothing.

import {
  readRemoteStories,
  storyFilesIn,
  type RemoteStories,
} from "../../repo/sharing/remote-stories.ts";
import {
  completedIn,
  completingCommit,
  recordMergeElsewhere,
} from "../../repo/sharing/arrived-stories.ts";
import type { RemoteDiscard } from "../../repo/sharing/shared-discard.ts";
import { findBase, type Repository } from "../../repo/repository.ts";
import { commitOf, isAncestor } from "../../repo/refs.ts";
import type { KnownLane } from "../../store/elsewhere/known-lanes.ts";
import type { Leases } from "../../store/leases/leases.ts";
import { storyLease } from "../../store/leases/lease-names.ts";
import type { LandingQueue } from "../../store/queue/queue.ts";
import type { StoryView } from "../../store/views/overview.ts";
import type { Store } from "../../store/store.ts";
import { isRunning } from "../../story/state/state.ts";
import type { Exchange } from "../records/exchange-runs.ts";
import type { Context } from "../../context.ts";

export interface LookOptions extends Pick<Context, "repository" | "store"> {
  readonly fleet: { readonly machine: string; readonly leases: Pick<Leases, "list"> };
  /** The lanes of this machine and those that it shares. */
  readonly queue: Pick<LandingQueue, "lanes" | "list" | "now" | "history">;
  readonly exchange: Pick<Exchange, "receive">;
  readonly now?: () => number;
  /** Stories that the remote knows as discarded: work here from before is out of date. */
  readonly onDiscards?: ((discards: readonly RemoteDiscard[]) => Promise<void>) | undefined;
}

export interface ElsewhereLook {
  /** Everything. Throws if the database or the remote cannot be reached. */
  readonly look: () => Promise<void>;
  /** The engine; and git if the engine shows that work began or ended, or after some time. */
  readonly lookIfChanged: () => Promise<void>;
}

/** Commits of a story that is being worked on are shown with this delay. */
const GIT_EVERY_MS = 30_000;

export function openLook(options: LookOptions): ElsewhereLook {
  const { now = Date.now } = options;
  let last: { readonly held: string; readonly atMs: number } | undefined;
  let looking: Promise<unknown> = Promise.resolve();
  /** One at a time: two would fetch the same refs. */
  const look = (isNeeded: (engine: EngineFacts) => boolean): Promise<void> => {
    const next = looking.then(() => lookNow(isNeeded));
    looking = next.catch(() => undefined);
    return next;
  };
  const lookNow = async (isNeeded: (engine: EngineFacts) => boolean): Promise<void> => {
    const engine = await lookAtEngine(options);
    if (!isNeeded(engine)) return;
    const atMs = now();
    // After a failure the next look tries again.
    last = undefined;
    await lookAtGit(options);
    last = { held: engine.held, atMs };
  };
  return {
    look: () => look(() => true),
    lookIfChanged: () =>
      look(
        ({ held, hasEnded }) => hasEnded || held !== last?.held || now() - last.atMs > GIT_EVERY_MS,
      ),
  };
}

interface EngineFacts {
  /** Which leases other machines hold. */
  readonly held: string;
  /** A run has ended since the last look. */
  readonly hasEnded: boolean;
}

/** Leases first: a worker that ends meanwhile still has one, so that its run is not taken for one of a dead worker. */
async function lookAtEngine({ fleet, queue, exchange, store }: LookOptions): Promise<EngineFacts> {
  const leases = (await fleet.leases.list()).filter(
    ({ life, record }) => life === "alive" && record.machine !== fleet.machine,
  );
  const named = leases.map((lease) => ({
    ...lease,
    record: { ...lease.record, owner: `${lease.record.owner} on ${lease.record.machine ?? ""}` },
  }));
  const runs = await exchange.receive();
  await store.elsewhere.saveLeases(named);
  await store.elsewhere.saveLanes(await readLanes(queue));
  return {
    held: leases
      .map(({ name, fence }) => `${name} ${fence}`)
      .toSorted()
      .join("\n"),
    hasEnded: runs.some(({ endedAt }) => endedAt !== undefined),
  };
}

/** As much as a page shows. */
const MAX_BATCHES = 30;

async function readLanes(queue: LookOptions["queue"]): Promise<KnownLane[]> {
  const lanes = (await queue.lanes()).filter(({ place }) => place === "remote");
  return Promise.all(
    lanes.map(async (lane) => ({
      lane,
      entries: (await queue.list(lane)).filter(({ machine }) => machine !== undefined),
      now: await queue.now(lane),
      history: (await queue.history(lane)).slice(-MAX_BATCHES),
    })),
  );
}

async function lookAtGit(options: LookOptions): Promise<void> {
  const { store, repository } = options;
  const { branch } = await findBase(repository, (await store.settings()).git.base);
  const remote = await readRemoteStories(repository, branch);
  await options.onDiscards?.(remote.discards);
  const merged = await recordMerges(options, remote);
  await copyStories(options, remote, merged);
}

/** Returns the stories that are merged. */
async function recordMerges(
  { repository, store }: LookOptions,
  { targets }: RemoteStories,
): Promise<ReadonlySet<string>> {
  const { stories } = await store.overview();
  const merged = new Set<string>();
  for (const [id, { state }] of stories) if (state === "completed") merged.add(id);
  for (const [target, tip] of targets) {
    const open = [...stories.keys()].filter((id) => !merged.has(id));
    for (const storyId of await completedIn(repository, tip, open)) {
      const view = stories.get(storyId);
      const commit = await completingCommit(repository, tip, storyId);
      if (view === undefined || !(await isUnknownHere(repository, view, commit))) continue;
      const arrival = await recordMergeElsewhere(repository, { storyId, target, tip, commit });
      if (arrival === "newer-work-here") continue;
      merged.add(storyId);
      await noteMerge(store, storyId, target);
    }
  }
  return merged;
}

/** The record of the merge may come from a machine with a slow clock, and be older than others; or be lost. */
async function noteMerge(store: Store, storyId: string, target: string): Promise<void> {
  if ((await store.viewStory(storyId)).state === "completed") return;
  const reason = `Merged into ${target} by another machine.`;
  const endedAt = new Date().toISOString();
  (await store.startRun(storyId, { reason, endedAt, outcome: "merged" })).close();
}

/** If the checkout has the commit that completed the story, its own files tell: a person may have reopened it. */
async function isUnknownHere(
  { git }: Repository,
  { record, state }: StoryView,
  commit: string,
): Promise<boolean> {
  if (isRunning(state)) return false;
  if (record.source !== "project") return true;
  const head = await commitOf(git, "HEAD");
  return head === undefined || !(await isAncestor(git, commit, head));
}

async function copyStories(
  { fleet, repository, store }: LookOptions,
  { stories }: RemoteStories,
  merged: ReadonlySet<string>,
): Promise<void> {
  const { listCopies, saveCopy, removeCopy } = store.elsewhere;
  const known = await listCopies();
  const theirs = stories.filter(
    ({ storyId, machine }) => machine !== fleet.machine && !merged.has(storyId),
  );
  const wanted = new Set(theirs.map(({ storyId }) => storyId));
  for (const id of known.keys()) if (!wanted.has(id)) await removeCopy(id);
  for (const { storyId, commit } of theirs) {
    if (known.get(storyId) !== commit) {
      await saveCopy({ storyId, commit, files: await storyFilesIn(repository, commit, storyId) });
    }
    // After the copy was written: a worker that started here meanwhile has removed an older one.
    const lease = await store.localLeases.read(storyLease(storyId));
    if (lease?.life === "alive") await removeCopy(storyId);
  }
}
