// Records of a delivery: which commit of the story became which commit of the target. Two refs per story, each
// with one record:
//
//   refs/saga/merge/<story>    pending: verified, and about to be the target's. Written before the target moves, so
//                              that after a kill the next call can tell whether it moved.
//   refs/saga/merged/<story>   done: it arrived. After a rebase the history alone does not show that.
//
// A record is a commit with the ids in its message and all the commits it names as parents. So the story's
// commits from before a rebase stay reachable for good, even when its branch is gone.

import type { SagaError } from "../../errors.ts";
import { decodeBytes } from "../../machine/files/raw-bytes.ts";
import { gitError, type Git } from "../../machine/programs/git.ts";
import { readObjects } from "../../machine/programs/object-reader.ts";
import { deliveredBranch } from "../../story/definition/names.ts";
import { deleteRef, isAncestor, moveRef } from "../refs.ts";
import type { MergedWork } from "../story-range.ts";
import { lastCommittedAt, writeCommit } from "../write-commit.ts";

export interface Delivery extends MergedWork {
  readonly storyId: string;
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
  const found = await readObjects(git, [pendingRef(storyId), doneRef(storyId)]);
  const [pending, done] = found.map(
    (record) => record && parseDelivery(storyId, record.id, decodeBytes(record.content)),
  );
  return { pending, done };
}

/** Undefined for a commit that is not a delivery record. */
export function parseDelivery(
  storyId: string,
  record: string,
  text: string,
): DeliveryRecord | undefined {
  const field = (name: string): string | undefined =>
    new RegExp(`^Saga-${name}: (?<value>.+)$`, "m").exec(text)?.groups?.["value"];
  const [target, tip] = [field("Target"), field("Tip")];
  const [onto, commit] = [field("Onto"), field("Commit")];
  if (!target || !tip || !onto || !commit) return undefined;
  return { storyId, target, tip, onto, commit, record };
}

/** The latest delivery that `target` contains and that `tip` is equal to or builds on. */
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

export async function beginDelivery(git: Git, delivery: Delivery): Promise<DeliveryRecord> {
  const { pending, done } = await readDeliveries(git, delivery.storyId);
  const record = await writeRecord(git, delivery, done);
  await move(git, pendingRef(delivery.storyId), record, pending?.record);
  return { ...delivery, record };
}

export async function finishDelivery(git: Git, delivery: DeliveryRecord): Promise<void> {
  const { pending, done } = await readDeliveries(git, delivery.storyId);
  if (done?.record !== delivery.record) {
    await move(git, doneRef(delivery.storyId), delivery.record, done?.record);
  }
  await deletePending(git, pending);
}

/** For work that arrived without Saga, such as a merge by hand. */
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
  delivery: Delivery,
  before: DeliveryRecord | undefined,
): Promise<string> {
  const { tip, commit } = delivery;
  const parents = [...new Set([commit, tip, ...(before ? [before.record] : [])])];
  return writeCommit(git, {
    tree: `${commit}^{tree}`,
    parents,
    message: deliveryMessage(delivery),
    committedAt: await lastCommittedAt(git, parents),
  });
}

export function deliveryMessage({ storyId, target, tip, onto, commit }: Delivery): string {
  const fields = [`Story: ${storyId}`, `Target: ${target}`, `Tip: ${tip}`, `Onto: ${onto}`];
  const text = [...fields, `Commit: ${commit}`].map((field) => `Saga-${field}\n`).join("");
  return `Bring ${deliveredBranch(storyId)} into ${target}\n\n${text}`;
}

async function move(git: Git, ref: string, to: string, from: string | undefined): Promise<void> {
  const moved = await moveRef(git, { ref, to, from });
  if (!moved.isOk) throw notRecorded(ref, moved.stderr);
}

const notRecorded = (name: string, error: string): SagaError =>
  gitError(`The delivery could not be recorded (${name}): ${error}`);
