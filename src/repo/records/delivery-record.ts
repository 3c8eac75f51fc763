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
  readonly pending: DeliveryRecord | undefined;
  readonly done: DeliveryRecord | undefined;
}

export interface DeliveryRecord extends Delivery {
  readonly record: string;
}

export const pendingRef = (storyId: string): string => `refs/saga/merge/${storyId}`;
export const doneRef = (storyId: string): string => `refs/saga/merged/${storyId}`;

export async function readDeliveries(git: Git, storyId: string): Promise<Deliveries> {
  const [pending, done] = [pendingRef(storyId), doneRef(storyId)];
  const format = "--format=%(refname)%00%(objectname)%00%(contents)%00";
  const parts = (await git.ask(["for-each-ref", format, pending, done])).split("\0");
  const found = new Map<string, DeliveryRecord | undefined>();
  for (let from = 0; from + 3 <= parts.length; from += 3) {
    const [ref = "", record = "", text = ""] = parts.slice(from, from + 3);
    found.set(ref.trim(), parse(storyId, record, text));
  }
  return { pending: found.get(pending), done: found.get(done) };
}

/** Nothing when it is not one of ours. */
function parse(storyId: string, record: string, text: string): DeliveryRecord | undefined {
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
  { pending, done }: Deliveries,
  { tip, target }: { readonly tip: string; readonly target: string },
): Promise<DeliveryRecord | undefined> {
  let latest: DeliveryRecord | undefined;
  for (const one of [done, pending]) {
    if (one === undefined || latest?.tip === tip) continue;
    const isThere = await isAncestor(git, one.commit, target);
    if (isThere && (await isAncestor(git, one.tip, tip))) latest = one;
  }
  return latest;
}

/** Verified, and about to be. */
export async function beginDelivery(git: Git, delivery: Delivery): Promise<DeliveryRecord> {
  const { pending, done } = await readDeliveries(git, delivery.storyId);
  const record = await writeRecord(git, delivery, done);
  await move(git, pendingRef(delivery.storyId), record, pending?.record);
  return { ...delivery, record };
}

/** It is there. */
export async function finishDelivery(git: Git, delivery: DeliveryRecord): Promise<void> {
  const { pending, done } = await readDeliveries(git, delivery.storyId);
  if (done?.record !== delivery.record) {
    await move(git, doneRef(delivery.storyId), delivery.record, done?.record);
  }
  await deletePending(git, pending);
}

/** For work that arrived in another way: by hand, for example. */
export async function recordArrival(git: Git, delivery: Delivery): Promise<void> {
  const { done } = await readDeliveries(git, delivery.storyId);
  await finishDelivery(git, { ...delivery, record: await writeRecord(git, delivery, done) });
}

async function deletePending(git: Git, pending: DeliveryRecord | undefined): Promise<void> {
  if (pending === undefined) return;
  const gone = await deleteRef(git, pendingRef(pending.storyId), pending.record);
  if (!gone.isOk) throw notRecorded(pending.storyId, gone.stderr);
}

async function writeRecord(
  git: Git,
  { storyId, target, tip, onto, commit }: Delivery,
  before: DeliveryRecord | undefined,
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
