// Steps 3 and 7: the story's pull request, a draft while there is work (again), ready when it is done. A forge
// that cannot be reached never stops the work: the step is tried again at the end, and by the next run.

import { messageOf, messageWithHint } from "../../errors.ts";
import { pushBranch } from "../../gate/push-branch.ts";
import type { PullRequest } from "../../machine/forge/forge.ts";
import { codeTree } from "../../repo/code-tree.ts";
import { readReceipts } from "../../store/runs/receipts.ts";
import type { Receipt } from "../../story/receipts/receipt.ts";
import { receiptsFor } from "../../story/receipts/latest-receipts.ts";
import { pullRequestText, pullRequestTitle } from "../../story/prompts/pull-request-text.ts";
import type { PlacedWork } from "../work.ts";

export interface DeliveredBranch {
  /** Nothing when the forge could not be reached, or the branch not be pushed. */
  readonly pull?: PullRequest | undefined;
  /** Why the branch could not be pushed. */
  readonly pushError?: string | undefined;
}

/** The draft, found or created; nothing when the forge could not be reached. */
export async function openPullRequest(work: PlacedWork): Promise<PullRequest | undefined> {
  const { pull } = await open(work);
  // One that was reviewed may have work again: it was sent back, or conflicts with its target.
  return pull && !work.board.isDone() ? asDraft(work, pull) : pull;
}

async function open(work: PlacedWork): Promise<DeliveredBranch> {
  const pushError = await push(work);
  return pushError === undefined ? { pull: await openDraft(work) } : { pushError };
}

async function openDraft(work: PlacedWork): Promise<PullRequest | undefined> {
  const { forge, branch, base, order, record, around } = work;
  const story = work.definition.story();
  try {
    const pull = await forge.openDraft({
      head: branch,
      base: base.target,
      title: pullRequestTitle(order.storyId),
      body: pullRequestText(story, work.board.tasks()),
    });
    if (story.pr !== pull.ref) {
      await around.store.updateStory(order.storyId, (fields) => ({ ...fields, pr: pull.ref }));
      work.definition.learn({ pr: pull.ref });
    }
    return pull;
  } catch (error) {
    record.warn(`${pullRequestFault(work)}: ${messageWithHint(error)}`);
    return undefined;
  }
}

const pullRequestFault = ({ definition }: PlacedWork): string =>
  definition.story().pr === undefined
    ? "There is no pull request yet"
    : "The pull request is not up to date";

/** Why not, if not: the work goes on all the same. */
async function push(work: PlacedWork): Promise<string | undefined> {
  const { repository, base, branch, canPush, around, order, record, settings } = work;
  if (!canPush) return undefined;
  try {
    const { receipts } = await readReceipts(around, order.storyId);
    await pushBranch({
      repository,
      storyId: order.storyId,
      branch,
      base,
      settings,
      receipts,
      redact: record.redact,
      stop: around.stop,
    });
    return undefined;
  } catch (error) {
    const why = record.redact(messageWithHint(error));
    record.warn(`${pullRequestFault(work)}: ${why}`);
    return why;
  }
}

/** Everything pushed, its text as the story stands, and open for review when it is done. */
export async function finishPullRequest(
  work: PlacedWork,
  isDone: boolean,
): Promise<DeliveredBranch> {
  const { forge, record, definition, board } = work;
  const opened = await open(work);
  if (opened.pull?.state !== "open") return opened;
  try {
    const body = pullRequestText(definition.story(), board.tasks(), await receiptsOf(work));
    const { number } = opened.pull;
    const pull = opened.pull.body === body ? opened.pull : await forge.update(number, { body });
    if (!isDone) return { pull: await asDraft(work, pull) };
    return { pull: pull.isDraft ? await forge.markReady(number) : pull };
  } catch (error) {
    record.warn(`The pull request is not up to date: ${messageOf(error)}`);
    return opened;
  }
}

/** Whoever reviews it would look at what is not finished, or has not passed its gate. */
async function asDraft({ forge, record }: PlacedWork, pull: PullRequest): Promise<PullRequest> {
  if (pull.isDraft || pull.state !== "open") return pull;
  try {
    return await forge.markDraft(pull.number);
  } catch (error) {
    record.warn(`The pull request is still marked as ready: ${messageOf(error)}`);
    return pull;
  }
}

/** For the code as it is. */
async function receiptsOf({ git, branch, around, order }: PlacedWork): Promise<Receipt[]> {
  const tree = await codeTree(git, `refs/heads/${branch}`);
  const { receipts } = await readReceipts(around, order.storyId);
  return receiptsFor(receipts, tree);
}
