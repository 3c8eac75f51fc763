// A story of another machine, as the remote has it: its files from its branch, its receipts from that machine's records.

import { SagaError } from "../../errors.ts";
import type { BatchContext } from "../../landing/landing.ts";
import { commitOf } from "../../repo/refs.ts";
import { fetchRefs } from "../../repo/repository.ts";
import { leaseRef, ownerAt } from "../../repo/sharing/lease-ref.ts";
import { storyFilesIn } from "../../repo/sharing/remote-stories.ts";
import { storyBranch } from "../../story/definition/names.ts";
import type { Entry } from "../../story/landing/entry.ts";
import { laneOf, workAt, type StoryWork } from "../story-work.ts";
import { recordIn } from "./story-record.ts";

export interface ElsewhereWork {
  readonly work: StoryWork;
  /** The refs at the remote that it was read from. */
  readonly refs: ReadonlyMap<string, string>;
}

/** Throws unless the remote shows what the entry says: that machine has the story, and it goes into this lane. */
export async function findElsewhere(context: BatchContext, entry: Entry): Promise<ElsewhereWork> {
  const { store, repository, settings } = context;
  const { git, remote } = repository;
  const { name: storyId, lane, machine } = entry;
  await store.queue.receive(entry);
  const refs = await context.remoteRefs();
  const branch = storyBranch(storyId);
  const [tip, lease] = [refs.get(`refs/heads/${branch}`), refs.get(leaseRef(storyId))];
  const owner = lease && (await ownerAt(repository, storyId, lease)).machine;
  if (tip === undefined || remote === undefined || owner !== machine) throw notThere(entry);
  await fetchRefs(git, remote.name, [
    `+refs/heads/${branch}:refs/remotes/${remote.name}/${branch}`,
  ]);
  // The branch may have moved since it was read.
  if ((await commitOf(git, tip)) === undefined) throw notThere(entry);
  const record = recordIn(storyId, await storyFilesIn(repository, tip, storyId));
  if (record === undefined) throw notThere(entry);
  const view = await store.viewStory(storyId).catch(() => undefined);
  const epicId = view?.epicId ?? record.story.epic;
  const work = await workAt(context, { record, settings, branch, commit: tip, epicId });
  const target = laneOf(work);
  if (target.branch !== lane.branch || target.place !== lane.place) throw notThere(entry);
  return { work, refs };
}

const notThere = ({ name, machine = "" }: Entry): SagaError =>
  new SagaError("not-ready", `${name} is on ${machine}, and this machine cannot read it.`);
