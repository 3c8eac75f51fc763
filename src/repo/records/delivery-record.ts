// What is remembered of bringing a story into a branch: which commit of the story became which commit
// there. Two refs for each story, each one record:
//
//   refs/saga/merge/<story>    verified, and about to be the target's. Written before the target moves,
//                              so that whoever comes after a kill can tell whether it has.
//   refs/saga/merged/<story>   it arrived. After a rebase nothing in the history says so.
//
// A record is a commit with the ids in its text and all it names as parents: what the story had before
// it was rebased stays reachable, for good, also when its branch is gone.

import { SagaError } from "../../errors.ts";
import type { Git } from "../../machine/programs/git.ts";
import { deliveredBranch } from "../../story/definition/names.ts";
import { deleteRef, isAncestor, moveRef } from "../refs.ts";
import { lastCommittedAt, writeCommit } from "../write-commit.ts";

export interface Delivery {
  readonly storyId: string;
  /** The branch it goes into. */
  readonly target: string;
  /** The story's last commit. */
  readonly tip: string;
  /** Where the target was. */
  readonly onto: string;
  /** Where the target is to be. */
  readonly commit: string;
}

export interface Deliveries {
  readonly begun: Recorded | undefined;
  readonly done: Recorded | undefined;
}

export interface Recorded extends Delivery {
  readonly record: string;
}

export const begunRef = (storyId: string): string => `refs/saga/merge/${storyId}`;
export const doneRef = (storyId: string): string => `refs/saga/merged/${storyId}`;

export async function readDeliveries(git: Git, storyId: string): Promise<Deliveries> {
  const [begun, done] = [begunRef(storyId), doneRef(storyId)];
  const format = "--format=%(refname)%00%(objectname)%00%(contents)%00";
  const parts = (await git.ask(["for-each-ref", format, begun, done])).split("\0");
  const found = new Map<string, Recorded | undefined>();
  for (let from = 0; from + 3 <= parts.length; from += 3) {
    const [ref = "", record = "", text = ""] = parts.slice(from, from + 3);
    found.set(ref.trim(), parse(storyId, record, text));
  }
  return { begun: found.get(begun), done: found.get(done) };
}

/** Nothing when it is not one of ours. */
function parse(storyId: string, record: string, text: string): Recorded | undefined {
  const field = (name: string): string | undefined =>
    new RegExp(`^Saga-${name}: (?<value>.+)$`, "m").exec(text)?.groups?.["value"];
  const [target, tip] = [field("Target"), field("Tip")];
  const [onto, commit] = [field("Onto"), field("Commit")];
  if (!target || !tip || !onto || !commit) return undefined;
  return { storyId, target, tip, onto, commit, record };
}

/** What has arrived in a commit: all of the story, or the latest that its branch has gone on from. */
export async function findArrived(
  git: Git,
  { begun, done }: Deliveries,
  { tip, target }: { readonly tip: string; readonly target: string },
): Promise<Recorded | undefined> {
  let latest: Recorded | undefined;
  for (const one of [done, begun]) {
    if (one === undefined || latest?.tip === tip) continue;
    const isThere = await isAncestor(git, one.commit, target);
    if (isThere && (await isAncestor(git, one.tip, tip))) latest = one;
  }
  return latest;
}

/** Verified, and about to be. */
export async function beginDelivery(git: Git, delivery: Delivery): Promise<Recorded> {
  const { begun, done } = await readDeliveries(git, delivery.storyId);
  const record = await writeRecord(git, delivery, done);
  await move(git, begunRef(delivery.storyId), record, begun?.record);
  return { ...delivery, record };
}

/** It is there. */
export async function endDelivery(git: Git, delivery: Recorded): Promise<void> {
  const { begun, done } = await readDeliveries(git, delivery.storyId);
  if (done?.record !== delivery.record) {
    await move(git, doneRef(delivery.storyId), delivery.record, done?.record);
  }
  await forgetBegun(git, begun);
}

/** For work that arrived in another way: by hand, for example. */
export async function recordArrival(git: Git, delivery: Delivery): Promise<void> {
  const { done } = await readDeliveries(git, delivery.storyId);
  await endDelivery(git, { ...delivery, record: await writeRecord(git, delivery, done) });
}

async function forgetBegun(git: Git, begun: Recorded | undefined): Promise<void> {
  if (begun === undefined) return;
  const gone = await deleteRef(git, begunRef(begun.storyId), begun.record);
  if (!gone.isOk) throw notRecorded(begun.storyId, gone.stderr);
}

async function writeRecord(
  git: Git,
  { storyId, target, tip, onto, commit }: Delivery,
  before: Recorded | undefined,
): Promise<string> {
  const parents = [...new Set([commit, tip, ...(before ? [before.record] : [])])];
  const fields = [`Story: ${storyId}`, `Target: ${target}`, `Tip: ${tip}`, `Onto: ${onto}`];
  const text = [...fields, `Commit: ${commit}`].map((field) => `Saga-${field}\n`).join("");
  return writeCommit(git, {
    tree: `${commit}^{tree}`,
    parents,
    message: `Bring ${deliveredBranch(storyId)} into ${target}\n\n${text}`,
    committedAt: await lastCommittedAt(git, parents),
  });
}

async function move(git: Git, ref: string, to: string, from: string | undefined): Promise<void> {
  const moved = await moveRef(git, { ref, to, from });
  if (!moved.isOk) throw notRecorded(ref, moved.stderr);
}

const notRecorded = (what: string, said: string): SagaError =>
  new SagaError("program-failed", `The delivery could not be recorded (${what}): ${said}`, {
    hint: "Nothing was lost. Put right what git says, and run the command again.",
  });
