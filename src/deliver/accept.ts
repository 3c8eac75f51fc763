// A person's decision on a story: approve it, override findings with a reason, or send it back with feedback. The
// decision is recorded where agents cannot write, added to the journal, and committed with the story.

import { messageOf, SagaError } from "../errors.ts";
import { codeTree } from "../repo/code-tree.ts";
import { commitRest } from "../repo/commits/commits.ts";
import { sealProblem, withSeals } from "../store/runs/receipts.ts";
import { freeId } from "../story/plan/fix-task.ts";
import { acceptCommand, BY_LOOKING, overrideBy } from "../story/receipts/override.ts";
import { definitionText, recordEdit } from "../store/runs/person-edit.ts";
import type { GateRule, KeyedFinding, Receipt } from "../story/receipts/receipt.ts";
import { receiptEntry } from "../story/receipts/receipt-text.ts";
import { receiptsFor } from "../story/receipts/latest-receipts.ts";
import {
  mergeReadiness,
  type Objection,
  type Requirements,
} from "../story/receipts/merge-readiness.ts";
import { weakenedSince } from "../story/receipts/weakened-definition.ts";
import { judgeDiffOf, judgeStory } from "../gate/story-gate.ts";
import { oneLine, truncate } from "../text/one-line.ts";
import { backToDraft } from "./back-to-draft.ts";
import {
  gateWorkOf,
  redactorOf,
  requireWorktree,
  workReadiness,
  type StoryWork,
} from "./story-work.ts";

export interface Acceptance {
  readonly overrides: readonly GateRule[];
  readonly why: string | undefined;
  /** The person who decides. */
  readonly who: string;
}

export interface AcceptedStory {
  readonly receipts: readonly Receipt[];
  readonly setAside: readonly Objection[];
  /** Rules to override that have no finding. */
  readonly unused: readonly GateRule[];
}

/** Runs the missing parts of the gate first: code must be checked before it can be approved. */
export async function acceptStory(work: StoryWork, acceptance: Acceptance): Promise<AcceptedStory> {
  const { record, required, context } = work;
  requireSeal(work);
  requireAllDone(work);
  const { tree, receipts: held, missing } = await workReadiness(work);
  const judged = missing.length === 0 ? [await judgeDiff(work)] : await judge(work);
  const receipts = receiptsFor([...held, ...judged], tree);
  const { why, who, overrides } = acceptance;
  const word = receipts.findLast(({ gate }) => gate === "person");
  const { open, setAside, unused, isReasonMissing, overridden } = overrideBy(
    objectionsTo(receipts, required),
    { rules: overrides, why, who },
    word,
  );
  if (open.length > 0) throw refused(record.story.id, open);
  if (isReasonMissing) throw reasonMissing();
  const accepted: Receipt = {
    at: new Date(context.now()).toISOString(),
    gate: "person",
    tree,
    isPassed: true,
    ms: 0,
    how: `accepted by ${who}`,
    findings: [],
    ...(overridden && { overridden }),
  };
  await recordApproval(work, [...receipts, accepted], `It was accepted by ${who}.`);
  await work.store.updateStory(record.story.id, (story) => ({ ...story, status: "completed" }));
  await commitState(work);
  return { receipts: [...receipts, accepted], setAside, unused };
}

export const reasonMissing = (): SagaError =>
  new SagaError("usage", "Overriding a rule needs a reason.", {
    hint: 'Add it: `--why "…"`.',
  });

/** Without a seal an approval could be forged. */
function requireSeal({ context }: StoryWork): void {
  const fault = sealProblem(context.env);
  if (fault === undefined) return;
  throw new SagaError(
    "unsafe-path",
    "Cannot record your decision: the signing key is unavailable.",
    {
      hint: fault,
    },
  );
}

/** Again, because the story may ask for something else since: that costs little, unlike its checks. */
const judgeDiff = async (work: StoryWork): Promise<Receipt> =>
  redactorOf(work)(await judgeDiffOf(gateWorkOf(work), work.range));

async function judge(work: StoryWork): Promise<Receipt[]> {
  const judged = await judgeStory(gateWorkOf(work), work.range);
  return judged.map(redactorOf(work));
}

/** Findings of the gate itself, without the tester's and reviewer's: a person's own look replaces those. */
const objectionsTo = (receipts: readonly Receipt[], required: Requirements): Objection[] =>
  mergeReadiness(
    receipts.filter(({ gate }) => gate !== "person"),
    required,
  ).objections.filter(({ rule }) => !BY_LOOKING.has(rule));

function requireAllDone(work: StoryWork): void {
  const { record } = work;
  requireWorktree(work);
  const left = record.tasks.filter(({ status }) => status !== "completed");
  if (record.tasks.length > 0 && left.length === 0) return;
  throw new SagaError("not-ready", `Cannot accept ${record.story.id}: it is not finished.`, {
    hint: `${left.length} of its ${record.tasks.length} tasks are left. Continue it: \`saga run ${record.story.id}\`.`,
  });
}

function refused(storyId: string, open: readonly Objection[]): SagaError {
  const said = open.map(({ rule, message }) => `${rule}: ${message}`).join("\n  ");
  return new SagaError("not-ready", `Cannot accept ${storyId}: its gate refused it:\n  ${said}`, {
    hint: `Send it back with feedback: \`saga send-back ${storyId} "…"\`. Or accept it anyway, with a reason: \`${acceptCommand(storyId, open)}\`.`,
  });
}

/** Records the decision in a run without a worker, which ends at once. */
async function recordApproval(
  { store, record, context }: StoryWork,
  receipts: readonly Receipt[],
  reason: string,
): Promise<void> {
  const at = new Date(context.now()).toISOString();
  const log = withSeals(await store.startRun(record.story.id, { reason }), context.env);
  try {
    for (const receipt of receipts) log.append({ ...receipt, type: "gate" }, { isDurable: true });
    log.update({ endedAt: at, outcome: "done", reason });
  } finally {
    log.close();
  }
  await store.appendJournal(record.story.id, { kind: "receipt", at, ...receiptEntry(receipts) });
}

/** The rest of the first line is in the description. */
const MAX_SUBJECT = 72;

export interface SentBack {
  readonly taskId: string;
}

/** The feedback becomes a task, so that the next run works on it. */
export async function sendBackStory(work: StoryWork, why: string, who: string): Promise<SentBack> {
  const { store, record, context } = work;
  const { id } = record.story;
  requireSeal(work);
  requireFinished(work);
  if (record.source !== "worktree") {
    throw new SagaError("not-ready", `Cannot send ${id} back: its worktree is missing.`, {
      hint: `Create it again: \`saga run ${id}\`.`,
    });
  }
  const text = why.trim();
  if (text === "") {
    throw new SagaError("usage", "The feedback is empty.", {
      hint: `Say what should change: \`saga send-back ${id} "…"\`.`,
    });
  }
  const taskId = freeId("rework", new Set(record.tasks.map((task) => task.id)));
  const [title = ""] = text.split("\n");
  await recordSendBack(work, who);
  await store.updateStory(id, (story) => ({ ...story, status: "in_progress" }));
  await store.addTask(id, {
    id: taskId,
    subject: truncate(oneLine(title), MAX_SUBJECT),
    description: `A person reviewed the finished story and wants changes:\n\n${text}`,
    status: "pending",
    blockedBy: [],
    writeFiles: [],
    doneWhen: "The requested changes are made, and everything that worked before still works.",
  });
  const at = new Date(context.now()).toISOString();
  const body = text.slice(title.length).trim();
  await store.appendJournal(id, { kind: "feedback", at, title: `${who}: ${title}`, body });
  await commitState(work);
  await backToDraft(work);
  return { taskId };
}

/** Feedback on an unfinished story is for its agent; it is not a decision on the story. */
function requireFinished(work: StoryWork): void {
  const { record } = work;
  requireWorktree(work);
  const { id } = record.story;
  const left = record.tasks.filter(({ status }) => status !== "completed");
  if (record.tasks.length > 0 && left.length === 0) return;
  throw new SagaError("not-ready", `Cannot send ${id} back: it is not finished.`, {
    hint: `Leave a note for its agent: \`saga journal ${id} --decision "…"\`. Answer its question: \`saga resolve ${id} "…"\`. Stop it: \`saga stop ${id}\`.`,
  });
}

/** Replaces an earlier approval. */
async function recordSendBack(work: StoryWork, who: string): Promise<void> {
  const { repository, range, context, store, record } = work;
  const at = new Date(context.now()).toISOString();
  const tree = await codeTree(repository.git, range.commit);
  const how = `sent back by ${who}`;
  const reason = `Sent back by ${who}.`;
  const started = await store.startRun(record.story.id, { reason });
  const log = withSeals(started, context.env);
  try {
    const word = { at, gate: "person", tree, isPassed: false, ms: 0, how, findings: [] };
    log.append({ ...word, type: "gate" }, { isDurable: true });
    log.update({ endedAt: at, outcome: "sent-back", reason });
  } finally {
    log.close();
  }
}

export interface RecordedEdit {
  /** Where the story asks for less than before this edit. */
  readonly lowered: readonly KeyedFinding[];
  /** The gate takes what the story asks for now as the person's. */
  readonly isApproved: boolean;
  /** Why it is not committed on the story's branch yet. */
  readonly commitError?: string | undefined;
}

/**
 * After a person's edit of a started story: records what the story asks for now, and commits it on the branch, so that
 * the merge brings it. `before` is the story before the edit. Without `who` an agent made it, and it does not count.
 */
export async function recordStoryEdit(
  before: StoryWork,
  who: string | undefined,
): Promise<RecordedEdit> {
  const { store, context, initial, required } = before;
  const { id } = before.record;
  const after = await store.readStory(id);
  const known = new Set((required.weakened ?? []).map(({ key }) => key));
  const lowered = weakenedSince(initial, after).filter(({ key }) => !known.has(key));
  const isChanged = definitionText(before.record) !== definitionText(after);
  // What an agent may have lowered before must not be approved along with it.
  const mayApprove = isChanged && who !== undefined && known.size === 0;
  const reason = `Edited by ${who ?? "an agent"}.`;
  const isApproved = mayApprove && (await recordEdit(context, id, { definition: after, reason }));
  if (isApproved && lowered.length > 0) {
    const at = new Date(context.now()).toISOString();
    const body = lowered.map(({ message }) => `- ${message}`).join("\n");
    const title = `${who} changed what the story asks for`;
    await store.appendJournal(id, { kind: "decision", at, title, body });
  }
  // The edit is in the worktree by now: the next run or merge commits it.
  const commitError = await commitState(before).then(() => undefined, messageOf);
  return { lowered, isApproved, commitError };
}

/** Without a worktree, the story's files are in the person's checkout, for them to commit. */
async function commitState({ worktree, record }: StoryWork): Promise<void> {
  if (worktree) await commitRest({ git: worktree, storyId: record.story.id, exclude: [] });
}
