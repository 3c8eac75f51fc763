// Steps 3 and 7: the story's pull request, a draft while there is work (again), ready when it is done. A forge
// that cannot be reached never stops the work: the step is tried again at the end, and by the next run.

import { messageOf } from "../errors.ts";
import type { PullRequest } from "../machine/forge.ts";
import { codeTree } from "../repo/code-tree.ts";
import { readReceipts } from "../store/receipts.ts";
import type { Receipt } from "../story/receipt.ts";
import { receiptsFor } from "../story/receipts-for.ts";
import { pullRequestText, pullRequestTitle } from "../story/pull-request-text.ts";
import type { PlacedWork } from "./work.ts";

const PUSH_TIMEOUT_MS = 120_000;

/** The draft, found or created; nothing when the forge could not be reached. */
export async function openPullRequest(work: PlacedWork): Promise<PullRequest | undefined> {
  const opened = await open(work);
  // One that was reviewed may have work again: it was sent back, or conflicts with its target.
  return opened && !work.board.isDone() ? asDraft(work, opened) : opened;
}

async function open(work: PlacedWork): Promise<PullRequest | undefined> {
  const { forge, branch, base, order, record, around, story } = work;
  try {
    await push(work);
    const pull = await forge.openDraft({
      head: branch,
      base: base.target,
      title: pullRequestTitle(order.storyId),
      body: pullRequestText(story.story, work.board.tasks()),
    });
    if (story.story.pr !== pull.ref) {
      await around.store.updateStory(order.storyId, (fields) => ({ ...fields, pr: pull.ref }));
      work.definition.learn({ pr: pull.ref });
    }
    return pull;
  } catch (error) {
    record.warn(`There is no pull request yet: ${messageOf(error)}`);
    return undefined;
  }
}

/** Everything pushed, its text as the story stands, and open for review when it is done. */
export async function finishPullRequest(
  work: PlacedWork,
  isDone: boolean,
): Promise<PullRequest | undefined> {
  const { forge, record, story, board } = work;
  const opened = await open(work);
  if (!opened || opened.state !== "open") return opened;
  try {
    const body = pullRequestText(story.story, board.tasks(), await receiptsOf(work));
    const pull = opened.body === body ? opened : await forge.update(opened.number, { body });
    if (!isDone) return await asDraft(work, pull);
    return pull.isDraft ? await forge.markReady(pull.number) : pull;
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

/** Never by force: what someone else has put on the branch there stays. */
async function push({ git, repository, branch, canPush, around }: PlacedWork): Promise<void> {
  if (!canPush || !repository.remote) return;
  const refspec = `refs/heads/${branch}:refs/heads/${branch}`;
  await git.ask(["push", "--quiet", repository.remote.name, refspec], {
    timeoutMs: PUSH_TIMEOUT_MS,
    stop: around.stop,
    withHooks: true,
  });
}
