// A story whose checks fail together with what landed before it. Its branch is brought onto the target first, so that
// its agent sees the failure and can reproduce it; then it gets a task with the output. After `gate.fix_rounds` such
// tasks a person is asked.

import type { Refused } from "../landing/landing.ts";
import { bringOnto } from "../repo/delivery/bring-onto.ts";
import { readTarget, type Target } from "../repo/delivery/target.ts";
import { commitRest } from "../repo/commits/commits.ts";
import { withSeals } from "../store/runs/receipts.ts";
import { openEntry } from "../story/definition/journal-key.ts";
import { freeId, LANDING_TASK, refusedText } from "../story/plan/fix-task.ts";
import type { Receipt } from "../story/receipts/receipt.ts";
import { backToDraft, redactorOf, type StoryWork } from "./story-work.ts";

export interface HandedBack {
  /** The agent's task; undefined if a person was asked, or if only a person can help. */
  readonly taskId: string | undefined;
}

export async function handBack(
  work: StoryWork,
  target: Target,
  { reason, receipts, before }: Refused,
): Promise<HandedBack> {
  const failed = receipts.filter(({ isPassed }) => !isPassed).map(redactorOf(work));
  const commands = failed.flatMap(({ command }) => (command === undefined ? [] : [command]));
  const { store, record, settings, context, worktree, repository } = work;
  // A broken rule of the diff is the story's own: it was judged before, and a person decides.
  if (commands.length === 0 || worktree === undefined || settings.gate.fixRounds === 0) {
    return keepForPerson(work, { reason, receipts });
  }
  const { id } = record.story;
  await commitRest({ git: worktree, storyId: id, exclude: [] });
  const onto = await readTarget(repository, target, context.stop);
  if (!(await bringOnto({ git: worktree, storyId: id, target: target.branch, onto }))) {
    return keepForPerson(work, { reason, receipts });
  }
  await recordFailure(work, failed, { reason: `Sent back by the queue: ${reason}` });
  const text = describe(target.branch, failed, before);
  const rounds = record.tasks.filter(({ id: task }) => isLandingTask(task)).length;
  const at = new Date(context.now()).toISOString();
  const isForAgent = rounds < settings.gate.fixRounds;
  const taskId = freeId(LANDING_TASK, new Set(record.tasks.map((task) => task.id)));
  if (!isForAgent && openEntry(await store.readJournal(id), "landing") === undefined) {
    // The question first: otherwise, after a kill, the next run would start the task without an answer.
    const title = `The story fails together with ${target.branch} again. What should its agent do?`;
    await store.appendJournal(id, { kind: "blocker", key: "landing", at, title, body: text });
  }
  await store.updateStory(id, (story) => ({ ...story, status: "in_progress" }));
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
  await commitRest({ git: worktree, storyId: id, exclude: [] });
  await backToDraft(work);
  return { taskId: isForAgent ? taskId : undefined };
}

/** The story is not changed, but `saga show` says why it was not merged, with the output. */
export async function keepForPerson(
  work: StoryWork,
  { reason, receipts }: Pick<Refused, "reason" | "receipts">,
): Promise<HandedBack> {
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
