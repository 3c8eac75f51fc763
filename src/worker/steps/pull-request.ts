// Steps 3 and 7: the story's pull request, a draft while there is work, ready when the work is done. A forge
// that cannot be reached never stops the work: the step is repeated at the end, and by the next run.

import { messageOf, messageWithHint } from "../../errors.ts";
import { pushBranch } from "../../gate/push-branch.ts";
import type { PullRequest } from "../../machine/forge/forge.ts";
import { codeTree } from "../../repo/code-tree.ts";
import { readReceipts } from "../../store/runs/receipts.ts";
import type { Receipt } from "../../story/receipts/receipt.ts";
import { receiptsFor } from "../../story/receipts/latest-receipts.ts";
import { pullRequestText, pullRequestTitle } from "../../story/prompts/pull-request-text.ts";
import type { PreparedWork } from "../context.ts";
import { pushOf } from "../sharing.ts";

export interface DeliveredBranch {
  /** Undefined if the forge could not be reached or the branch not be pushed. */
  readonly pull?: PullRequest | undefined;
  /** Why the branch could not be pushed. */
  readonly pushError?: string | undefined;
}

/** Finds or creates the draft. Returns undefined if the forge could not be reached. */
export async function openPullRequest(work: PreparedWork): Promise<PullRequest | undefined> {
  const { pull } = await open(work);
  // A pull request that was ready has work again if it was sent back or conflicts with its target.
  return pull && !work.story.isDone() ? asDraft(work, pull) : pull;
}

async function open(work: PreparedWork): Promise<DeliveredBranch> {
  const pushError = await push(work);
  return pushError === undefined ? { pull: await openDraft(work) } : { pushError };
}

async function openDraft(work: PreparedWork): Promise<PullRequest | undefined> {
  const { forge, branch, base, request, record } = work;
  const story = work.story.definition();
  try {
    const pull = await forge.openDraft({
      head: branch,
      base: base.target,
      title: pullRequestTitle(request.storyId),
      body: pullRequestText(story, work.story.tasks()),
    });
    if (story.pr !== pull.ref) await work.story.update({ pr: pull.ref });
    return pull;
  } catch (error) {
    record.warn(`${pullRequestProblem(work)}: ${messageWithHint(error)}`);
    return undefined;
  }
}

const pullRequestProblem = ({ story }: PreparedWork): string =>
  story.definition().pr === undefined
    ? "The pull request could not be created"
    : "The pull request could not be updated";

/** Returns why the push failed, if it did: the work continues. */
async function push(work: PreparedWork): Promise<string | undefined> {
  const { canPush, record } = work;
  if (!canPush) return undefined;
  try {
    await pushBranch(await pushOf(work));
    return undefined;
  } catch (error) {
    const why = record.redact(messageWithHint(error));
    record.warn(`${pullRequestProblem(work)}: ${why}`);
    return why;
  }
}

/** Pushes everything, updates the text, and marks it ready if the story is done. */
export async function finishPullRequest(
  work: PreparedWork,
  isDone: boolean,
): Promise<DeliveredBranch> {
  const { forge, record, story } = work;
  const opened = await open(work);
  if (opened.pull?.state !== "open") return opened;
  try {
    const body = pullRequestText(story.definition(), story.tasks(), await currentReceipts(work));
    const { number } = opened.pull;
    const pull = opened.pull.body === body ? opened.pull : await forge.update(number, { body });
    if (!isDone) return { pull: await asDraft(work, pull) };
    return { pull: markFor(pull, true) === "ready" ? await forge.markReady(number) : pull };
  } catch (error) {
    record.warn(`The pull request could not be updated: ${messageOf(error)}`);
    return opened;
  }
}

/** A ready pull request would invite a review of work that is unfinished or has not passed its gate. */
async function asDraft({ forge, record }: PreparedWork, pull: PullRequest): Promise<PullRequest> {
  if (markFor(pull, false) === undefined) return pull;
  try {
    return await forge.markDraft(pull.number);
  } catch (error) {
    record.warn(`The pull request could not be marked as a draft: ${messageOf(error)}`);
    return pull;
  }
}

/** How a pull request has to be marked; undefined if it is right as it is. A closed one is left alone. */
export function markFor(
  { state, isDraft }: Pick<PullRequest, "state" | "isDraft">,
  isDone: boolean,
): "ready" | "draft" | undefined {
  if (state !== "open" || isDraft !== isDone) return undefined;
  return isDone ? "ready" : "draft";
}

/** The receipts for the branch's current code. */
async function currentReceipts({
  git,
  branch,
  context,
  request,
}: PreparedWork): Promise<Receipt[]> {
  const tree = await codeTree(git, `refs/heads/${branch}`);
  const { receipts } = await readReceipts(context, request.storyId);
  return receiptsFor(receipts, tree);
}
