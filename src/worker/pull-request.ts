// Steps 3 and 7: the story's pull request, a draft while there is work (again), ready when it is done. A forge
// that cannot be reached never stops the work: the step is tried again at the end, and by the next run.

import { messageOf, SagaError, sentencesOf } from "../errors.ts";
import { findSecretsBetween } from "../gate/diff-gate.ts";
import type { PullRequest } from "../machine/forge.ts";
import { codeTree } from "../repo/code-tree.ts";
import { commitOf } from "../repo/refs.ts";
import { storyStart } from "../repo/story-start.ts";
import { pushCommit } from "../repo/target.ts";
import { readReceipts } from "../store/receipts.ts";
import { acceptCommand } from "../story/override.ts";
import { withoutSecrets, type Receipt } from "../story/receipt.ts";
import { receiptsFor } from "../story/receipts-for.ts";
import { standingOf } from "../story/standing.ts";
import { pullRequestText, pullRequestTitle } from "../story/pull-request-text.ts";
import type { PlacedWork } from "./work.ts";

/** The draft, found or created; nothing when the forge could not be reached. */
export async function openPullRequest(work: PlacedWork): Promise<PullRequest | undefined> {
  const opened = await open(work);
  // One that was reviewed may have work again: it was sent back, or conflicts with its target.
  return opened && !work.board.isDone() ? asDraft(work, opened) : opened;
}

async function open(work: PlacedWork): Promise<PullRequest | undefined> {
  const { forge, branch, base, order, record, around } = work;
  const story = work.definition.story();
  try {
    await push(work);
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
    const how =
      work.definition.story().pr === undefined
        ? "There is no pull request yet"
        : "The pull request is not up to date";
    record.warn(`${how}: ${sentencesOf(error)}`);
    return undefined;
  }
}

/** Everything pushed, its text as the story stands, and open for review when it is done. */
export async function finishPullRequest(
  work: PlacedWork,
  isDone: boolean,
): Promise<PullRequest | undefined> {
  const { forge, record, definition, board } = work;
  const opened = await open(work);
  if (!opened || opened.state !== "open") return opened;
  try {
    const body = pullRequestText(definition.story(), board.tasks(), await receiptsOf(work));
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
async function push(work: PlacedWork): Promise<void> {
  const { git, repository, branch, canPush, around } = work;
  if (!canPush || !repository.remote) return;
  const tip = await commitOf(git, `refs/heads/${branch}`);
  if (tip === undefined) return;
  await requireNoSecrets(work, tip);
  // What was looked at, and nothing that came since.
  const what = [`${tip}:refs/heads/${branch}`];
  const pushed = await pushCommit(git, repository.remote, what, { stop: around.stop });
  if (pushed.isOk) return;
  throw new SagaError("program-failed", `git push failed in ${git.folder}: ${pushed.stderr}`, {
    hint: "Nothing was lost. Put right what git says, and run the command again.",
  });
}

/** What is pushed is public for good. A person may have set a finding aside for this code. */
async function requireNoSecrets(work: PlacedWork, tip: string): Promise<void> {
  const { git, base, settings, record, branch, order } = work;
  const from = await storyStart(git, { base, tip });
  const findings = await findSecretsBetween({ git, from, to: tip, settings: settings.gate });
  if (findings.length === 0) return;
  const judged = {
    gate: "diff",
    at: "",
    tree: "",
    isPassed: false,
    ms: 0,
    findings: [...findings],
  };
  const words = (await receiptsOf(work)).filter(({ gate }) => gate === "person");
  const receipts = [withoutSecrets(judged as Receipt, record.redact), ...words];
  const { objections } = standingOf(receipts, NOTHING_ELSE);
  const first = objections.find(({ rule }) => rule === "secret");
  if (first === undefined) return;
  throw new SagaError("not-ready", `${branch} is not pushed. ${first.message}`, {
    hint: `Take it out of the history too, or set it aside: \`${acceptCommand(order.storyId, [first])}\`.`,
  });
}

const NOTHING_ELSE = { checks: [], needsTesting: false, needsReview: false };
