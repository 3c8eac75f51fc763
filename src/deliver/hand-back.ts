// A story whose checks fail together with what landed before it. It gets a task with the output, and its branch is
// brought onto the target, so that its agent can reproduce the failure. After `gate.fix_rounds` such tasks a person is
// asked. The task comes first: as long as it is pending, a killed handover can be recognised and continued.

import type { Refused } from "../landing/landing.ts";
import type { Git } from "../machine/programs/git.ts";
import {
  mergeTargetInto,
  canBring,
  type MergeTargetRequest,
} from "../repo/delivery/merge-target.ts";
import { readTarget, type Target } from "../repo/delivery/target.ts";
import { withSeals } from "../store/runs/receipts.ts";
import { openEntry } from "../story/definition/journal-key.ts";
import { freeId, LANDING_TASK, refusedText } from "../story/plan/fix-task.ts";
import type { Receipt } from "../story/receipts/receipt.ts";
import { backToDraft, commitState, redactorOf, type StoryWork } from "./story-work.ts";

export interface HandBack {
  /** The agent's task; undefined if a person was asked, or if only a person can help. */
  readonly taskId: string | undefined;
}

export async function handBack(
  work: StoryWork,
  target: Target,
  { reason, receipts, before }: Refused,
): Promise<HandBack> {
  const failed = receipts.filter(({ isPassed }) => !isPassed).map(redactorOf(work));
  const commands = failed.flatMap(({ command }) => (command === undefined ? [] : [command]));
  const { store, record, settings, context, worktree } = work;
  // A broken rule of the diff is the story's own: it was judged before, and a person decides.
  if (commands.length === 0 || worktree === undefined || settings.gate.fixRounds === 0) {
    return keepForPerson(work, { reason, receipts });
  }
  const { id } = record.story;
  await commitState(work);
  if (!(await canBring(await bringRequest(work, target, worktree)))) {
    return keepForPerson(work, { reason, receipts });
  }
  await recordFailure(work, failed, { reason: `Sent back by the queue: ${reason}` });
  const text = describe(target.branch, failed, before);
  const rounds = record.tasks.filter(({ id: task }) => isLandingTask(task)).length;
  const at = new Date(context.now()).toISOString();
  const isForAgent = rounds < settings.gate.fixRounds;
  if (!isForAgent && openEntry(await store.readJournal(id), "landing") === undefined) {
    // The question first: otherwise, after a kill, the next run would start the task without an answer.
    const title = `The story fails together with ${target.branch} again. What should its agent do?`;
    await store.appendJournal(id, { kind: "blocker", key: "landing", at, title, body: text });
  }
  const taskId = freeId(LANDING_TASK, new Set(record.tasks.map((task) => task.id)));
  await store.addTask(id, {
    id: taskId,
    subject: `Fix what fails together with ${target.branch}`,
    description: text,
    status: "pending",
    blockedBy: [],
    writeFiles: [],
    doneWhen: "The checks pass on this branch, which has the target's changes.",
    checks: commands,
  });
  await bringStory(work, target, worktree);
  return { taskId: isForAgent ? taskId : undefined };
}

/** Continues the handover of a lander that was killed after it had added the task. Undefined if there is none. */
export async function continueHandBack(
  work: StoryWork,
  target: Target,
): Promise<HandBack | undefined> {
  const { record, worktree, store } = work;
  const task = record.tasks.find(({ id, status }) => isLandingTask(id) && status === "pending");
  if (task === undefined || worktree === undefined) return undefined;
  await bringStory(work, target, worktree);
  const question = openEntry(await store.readJournal(record.story.id), "landing");
  return { taskId: question === undefined ? task.id : undefined };
}

/** May be repeated. */
async function bringStory(work: StoryWork, target: Target, worktree: Git): Promise<void> {
  await work.store.updateStory(work.record.story.id, (story) => ({
    ...story,
    status: "in_progress",
  }));
  await commitState(work);
  await mergeTargetInto(await bringRequest(work, target, worktree));
  await backToDraft(work);
}

const bringRequest = async (
  { repository, record, context }: StoryWork,
  target: Target,
  worktree: Git,
): Promise<MergeTargetRequest> => ({
  git: worktree,
  storyId: record.story.id,
  target: target.branch,
  onto: await readTarget(repository, target, context.stop),
});

/** The story is not changed, but `saga show` says why it was not merged, with the output. */
export async function keepForPerson(
  work: StoryWork,
  { reason, receipts }: Pick<Refused, "reason" | "receipts">,
): Promise<HandBack> {
  const failed = receipts.filter(({ isPassed }) => !isPassed).map(redactorOf(work));
  await recordFailure(work, failed, { reason: `Not merged: ${reason}`, isAside: true });
  return { taskId: undefined };
}

const isLandingTask = (taskId: string): boolean =>
  taskId === LANDING_TASK || taskId.startsWith(`${LANDING_TASK}-`);

const describe = (target: string, failed: readonly Receipt[], before: readonly string[]): string =>
  [
    `This story passed its checks alone, but fails on top of ${target}. ${target} is merged into this branch, so you can reproduce the failure here.`,
    ...(before.length === 0 ? [] : [`Landed right before it: ${before.join(", ")}.`]),
    refusedText(failed),
    `Find out what changed on ${target} (\`git log\`, \`git diff\`), and fix the cause in this story's code. Do not weaken a check, and do not undo the work of others.`,
  ].join("\n\n");

/** Keeps the output of the failed checks where people look for it. */
async function recordFailure(
  { store, record, context }: StoryWork,
  failed: readonly Receipt[],
  { reason, isAside }: { readonly reason: string; readonly isAside?: boolean },
): Promise<void> {
  const at = new Date(context.now()).toISOString();
  const about = { reason, ...(isAside && { isAside }) };
  const log = withSeals(await store.startRun(record.story.id, about), context.env);
  try {
    for (const receipt of failed) log.append({ ...receipt, type: "gate" }, { isDurable: true });
    log.update({ endedAt: at, outcome: isAside ? "failed" : "sent-back", ...about });
  } finally {
    log.close();
  }
}
