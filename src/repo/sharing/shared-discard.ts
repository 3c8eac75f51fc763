// A discard, as all machines of a fleet know it: a fact behind the story's lease ref at the remote, which every later owner
// carries on. A clone notes which discard of a story it has followed: `refs/saga/discarded/<story>`. What it has of the
// story from before another one is out of date.

import type { Git } from "../../machine/programs/git.ts";
import { commitOf, moveRef } from "../refs.ts";
import { factsIn, writeNote, type Facts } from "./note-ref.ts";

export interface Discard {
  /** The number of the ownership that discarded the story: work under a later one is not concerned. */
  readonly fence: number;
  readonly at: string;
}

/** What the remote knows of a discarded story. */
export interface RemoteDiscard {
  readonly storyId: string;
  readonly discard: Discard;
  /** The machine that owned the story last. */
  readonly machine: string;
  /** The commit of its branch, if it was begun again. */
  readonly branch: string | undefined;
}

const FACT = "Discarded";

export const discardFacts = (discard: Discard | undefined): Facts =>
  discard === undefined ? {} : { [FACT]: `${discard.fence} ${discard.at}` };

export function discardIn(facts: Facts): Discard | undefined {
  const [, fence, at = ""] = /^(\d{1,15}) (\S{1,40})$/.exec(facts[FACT] ?? "") ?? [];
  // Others can push to the remote, too.
  return fence === undefined || Number.isNaN(Date.parse(at))
    ? undefined
    : { fence: Number(fence), at };
}

export const isSameDiscard = (one: Discard | undefined, other: Discard | undefined): boolean =>
  one?.fence === other?.fence && one?.at === other?.at;

const PREFIX = "refs/saga/discarded/";

/** The last discard of the story that this clone followed. */
export const followedDiscard = async (git: Git, storyId: string): Promise<Discard | undefined> =>
  (await followedDiscards(git, storyId)).get(storyId);

export async function followedDiscards(
  git: Git,
  storyId = "",
): Promise<ReadonlyMap<string, Discard>> {
  const format = "%(refname)%00%(contents)%00";
  const listed = await git.ask(["for-each-ref", `--format=${format}`, `${PREFIX}${storyId}`]);
  const found = new Map<string, Discard>();
  const fields = listed.split("\0");
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const discard = discardIn(factsIn(fields[at + 1] ?? ""));
    if (discard) found.set((fields[at] ?? "").trim().slice(PREFIX.length), discard);
  }
  return found;
}

/** Repeating it changes nothing. */
export async function noteFollowed(git: Git, storyId: string, discard: Discard): Promise<void> {
  const ref = `${PREFIX}${storyId}`;
  const to = await writeNote(git, `discarded: ${storyId}`, discardFacts(discard));
  await moveRef(git, { ref, to, from: await commitOf(git, ref) });
}
