// A person's decision on a member, about a story that another machine worked on: the story is brought here first, and what
// the decision changed is shared afterwards. So accept, send-back, resolve, verify and merge work on every machine.

import { join } from "node:path";
import { messageOf } from "../../errors.ts";
import type { Fleet } from "../../fleet/fleet.ts";
import { pushBranch, pushSnapshot, type BranchPush } from "../../gate/push-branch.ts";
import { snapshotChanges } from "../../repo/snapshots/snapshot.ts";
import {
  readStoryOwner,
  takeFence,
  type StoryOwner,
  type HeldFence,
} from "../../repo/sharing/lease-ref.ts";
import { sharedSnapshotRef } from "../../repo/sharing/shared-snapshots.ts";
import { takeOverFiles, takeOverWorktree } from "../../repo/sharing/take-over.ts";
import { findWorktree } from "../../repo/worktree/situation.ts";
import { providedPaths } from "../../repo/worktree/provision.ts";
import { redactorFor } from "../../machine/files/redact.ts";
import { storyLease } from "../../store/leases/lease-names.ts";
import { findStory } from "../../store/project/find.ts";
import { layoutOf, runsFolder } from "../../store/project/layout.ts";
import { readReceipts } from "../../store/runs/receipts.ts";
import { storyBranch } from "../../story/definition/names.ts";
import type { Store } from "../../store/store.ts";
import { isStartable, type StoryState } from "../../story/state/state.ts";
import type { CommandResult, WithSharedStory } from "../program/command.ts";
import { followDiscardOf } from "./follow-discards.ts";
import { fetchStoryBase } from "./fetch-story-base.ts";
import { openFleetOf } from "./open-fleet.ts";
import type { Context } from "../../context.ts";

const DECISIONS: ReadonlySet<string> = new Set([
  "accept",
  "send-back",
  "resolve",
  "verify",
  "merge",
]);

export const withSharedStory: WithSharedStory = async ({ command, stories, store, io }, act) => {
  const settings = DECISIONS.has(command) ? await store.settings() : undefined;
  if (settings?.fleet.name === undefined) return act();
  const fleet = await openFleetOf({ project: store.project, env: io.env }, settings);
  const place: MemberPlace = { ...fleet, store, env: io.env };
  // `saga merge` takes an epic too.
  const known = stories.filter((id) => findStory(layoutOf(store.project), id) !== undefined);
  try {
    for (const story of known) await bringStory(place, story);
    const before = await statesOf(store, known);
    const queued: string[] = [];
    let result: CommandResult;
    try {
      result = await act();
    } finally {
      for (const story of known) {
        // The decision itself is recorded here.
        const isQueued = await shareStory(place, story, before.get(story)).catch(
          (error: unknown) => {
            io.writeError(`Other machines do not know this yet: ${messageOf(error)}\n`);
            return false;
          },
        );
        if (isQueued) queued.push(story);
      }
    }
    return withQueued(result, queued);
  } finally {
    await fleet.close();
  }
};

async function statesOf(
  store: Store,
  ids: readonly string[],
): Promise<ReadonlyMap<string, StoryState>> {
  const { stories } = await store.overview(new Set(ids));
  return new Map([...stories].map(([id, { state }]) => [id, state]));
}

interface MemberPlace extends Fleet, Pick<Context, "repository" | "store"> {
  readonly env: Parameters<typeof redactorFor>[0];
}

/** Does nothing for a story that this machine worked on last, or that has not begun. */
async function bringStory(place: MemberPlace, storyId: string): Promise<void> {
  const { repository, store, machine, openExchange } = place;
  await openExchange(store).receive(storyId);
  // If that fails, the fence refuses what the decision would push.
  await followDiscardOf({ ...place, fleet: place, onProblem: () => undefined }, storyId);
  const { machine: lastMachine } = await readStoryOwner(repository, storyId);
  if (lastMachine === undefined || lastMachine === machine) {
    return store.elsewhere.removeCopy(storyId);
  }
  await owning(place, storyId, async (owner, fence) => {
    const settings = await store.settings();
    const base = await fetchStoryBase(place, settings, storyId);
    const request = {
      repository,
      storyId,
      base,
      copyStoryToWorktree: (folder: string) => store.copyStoryToWorktree(storyId, folder),
      machine: owner.machine,
      lastMachine: fence.lastMachine,
      exclude: providedPaths(settings.worktree),
      unsavedFolder: join(runsFolder(layoutOf(store.project)), storyId, "unsaved"),
      onSnapshot: () => undefined,
    };
    const { folder } = await takeOverWorktree(request);
    await takeOverFiles(request, folder);
    await store.elsewhere.removeCopy(storyId);
  });
}

function withQueued(result: CommandResult, queued: readonly string[]): CommandResult {
  if (queued.length === 0) return result;
  const is = queued.length === 1 ? "is" : "are";
  const sentence = `${queued.join(", ")} ${is} in the fleet's queue again: a machine continues.`;
  return { ...result, text: (paint) => `${result.text(paint)}${sentence}\n` };
}

/** Returns whether a machine takes the story up again. */
async function shareStory(
  place: MemberPlace,
  storyId: string,
  before: StoryState | undefined,
): Promise<boolean> {
  const { repository, store, openExchange, openJobs } = place;
  await openExchange(store).send(storyId);
  const folder = findWorktree(repository, storyId);
  const { state } = await store.viewStory(storyId);
  if (folder !== undefined && state !== "completed") await pushStory(place, storyId, folder);
  // A command that only looked, or was refused, gives the story to no machine.
  const isForAgents = isStartable(state) && (state !== before || state === "sent-back");
  if (state !== "completed" && !isForAgents) return false;
  const jobs = await openJobs();
  try {
    if (state !== "completed") return await jobs.unpark(storyId);
    await jobs.markMerged(storyId);
    return false;
  } finally {
    await jobs.close();
  }
}

async function pushStory(place: MemberPlace, storyId: string, folder: string): Promise<void> {
  const { repository, store, env } = place;
  await owning(place, storyId, async (owner, fence) => {
    const settings = await store.settings();
    const base = await fetchStoryBase(place, settings, storyId);
    const { receipts } = await readReceipts({ store, env, now: Date.now }, storyId);
    const { copy, link } = settings.worktree;
    const push: BranchPush = {
      repository,
      storyId,
      branch: storyBranch(storyId),
      base,
      settings,
      receipts,
      redact: redactorFor(env, store.project, copy),
      fence,
    };
    await pushBranch(push);
    const git = repository.git.at(folder);
    const why = "a person's decision";
    const saved = await snapshotChanges({ git, storyId, why, exclude: [...copy, ...link] });
    if (saved)
      await pushSnapshot(push, {
        commit: saved.commit,
        to: sharedSnapshotRef(owner, saved.number),
      });
  });
}

/** Does nothing while another process works on the story: it has brought it, and shares it. */
async function owning(
  { repository, store, machine }: MemberPlace,
  storyId: string,
  act: (owner: StoryOwner, fence: HeldFence) => Promise<void>,
): Promise<void> {
  const request = { owner: "saga", purpose: "command", ttlMs: 90_000 } as const;
  const { lease } = await store.leases.acquire(storyLease(storyId), request);
  if (!lease) return;
  try {
    const owner = { storyId, fence: lease.fence, machine, isMine: lease.isMine };
    await act(owner, await takeFence(repository, owner, () => undefined));
  } finally {
    await lease.release();
  }
}
