// Step 7: the gate. A refusal becomes a fix task for the agent; when the gate passes, its receipts are
// recorded, and only then is the story completed.

import { readinessOf, requirementsOf, type StoryReadiness } from "../../gate/readiness.ts";
import { judgeStory, whyNotPassed } from "../../gate/story-gate.ts";
import { commitRest } from "../../repo/commits/commits.ts";
import { commitOf } from "../../repo/refs.ts";
import { storyStart } from "../../repo/story-range.ts";
import { SagaError } from "../../errors.ts";
import { fixTask } from "../../story/plan/fix-task.ts";
import { RUN_MARK } from "../../story/definition/names.ts";
import { withoutSecrets, type Receipt } from "../../story/receipts/receipt.ts";
import { receiptEntry } from "../../story/receipts/receipt-text.ts";
import { latestOfTasks } from "../../story/receipts/latest-receipts.ts";
import type { Requirements } from "../../story/receipts/merge-readiness.ts";
import { readReceipts } from "../../store/runs/receipts.ts";
import { readPersonsVersions } from "../../store/runs/person-edit.ts";
import type { TimeBudget } from "../../agent/time-budget.ts";
import { gateFacts } from "../gate-facts.ts";
import { inspect } from "./inspect.ts";
import { restoreGuardedFiles } from "../restore-guarded-files.ts";
import type { StoryEnd } from "../ending.ts";
import type { PreparedWork } from "../context.ts";

export interface GateResult {
  readonly receipts: readonly Receipt[];
  /** Why the gate did not pass, as a sentence. */
  readonly refusal: string | undefined;
}

export async function passGate(
  work: PreparedWork,
  budget: TimeBudget<StoryEnd>,
): Promise<GateResult> {
  const { repository, git, base, story: held, context, record } = work;
  const { store, settings, env, now, stop } = context;
  const { storyId } = work.request;
  restoreGuardedFiles(work);
  const story = held.definition();
  const tasks = held.tasks();
  const commit = await requireCommit(work);
  const range = { from: await storyStart(git, { base, tip: commit }), commit };
  const judgedStory = { id: storyId, story, tasks };
  const versions = await readPersonsVersions(context, storyId);
  const judgedRange = { from: range.from, tip: commit, ...versions };
  const { initial, required } = await requirementsOf(git, judgedStory, judgedRange);
  if (story.status === "completed") {
    const { isReady, receipts } = await earlierReadiness(work, commit, required);
    if (isReady) return { receipts, refusal: undefined };
  }
  const { needsTesting, needsReview } = story;
  const judged = await judgeStory(
    {
      repository,
      story,
      tasks,
      initial,
      weakened: required.weakened,
      settings,
      env,
      now,
      stop,
      // If this worker is killed, the next one finds the checks' processes by this mark.
      variables: { [RUN_MARK]: record.run().id },
      mayReuse: settings.gate.reuseReceipts,
      ...((needsTesting || needsReview) && {
        inspect: (folder: string) => inspect(work, budget, { range, folder }),
      }),
    },
    range,
  );
  // A fix task quotes the output of checks, and is committed.
  const receipts = judged.map((receipt) => withoutSecrets(receipt, record.redact));
  for (const receipt of receipts) record.note({ type: "gate", ...receipt }, { isDurable: true });
  const refusal = whyNotPassed(receipts);
  // Checks run the agent's code, which may have changed the files again.
  restoreGuardedFiles(work);
  await store.appendJournal(storyId, {
    kind: "receipt",
    at: new Date(now()).toISOString(),
    ...receiptEntry([...(await taskReceipts(work)), ...receipts]),
  });
  if (refusal === undefined) await held.update({ status: "completed" });
  await commitRest({ git, storyId, exclude: work.exclude });
  return { receipts, refusal };
}

/** The latest receipt of each check of each task. */
async function taskReceipts({ context, request }: PreparedWork): Promise<readonly Receipt[]> {
  const { receipts } = await readReceipts(context, request.storyId);
  return latestOfTasks(receipts);
}

/**
 * Whether the receipts of earlier runs and of people for exactly this code leave nothing to judge. They are read from
 * the runs' records: the agent may write to the journal.
 */
async function earlierReadiness(
  { context, request, record, git }: PreparedWork,
  commit: string,
  required: Requirements,
): Promise<StoryReadiness> {
  const { receipts, warnings } = await readReceipts(context, request.storyId);
  warnings.forEach(record.warn);
  return readinessOf(git, { commit, required, receipts });
}

async function requireCommit({ git, branch }: PreparedWork): Promise<string> {
  const commit = await commitOf(git, `refs/heads/${branch}`);
  if (commit !== undefined) return commit;
  throw new SagaError("not-found", `The branch ${branch} does not exist any more.`, {
    hint: "Its commits may still be found with `git reflog`.",
  });
}

/** Adds a task to fix what the gate refused. Returns false if an agent cannot fix it. */
export async function addFixTask(
  work: PreparedWork,
  receipts: readonly Receipt[],
): Promise<boolean> {
  const { story } = work;
  const takenIds = new Set(story.tasks().map(({ id }) => id));
  const task = fixTask(receipts, takenIds, await gateFacts(work));
  if (task === undefined) return false;
  await story.addTask({ ...task });
  return true;
}
