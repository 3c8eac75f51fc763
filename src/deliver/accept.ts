// A person's decision on a story: approve it, override findings with a reason, or send it back with feedback. The
// decision is recorded where agents cannot write, added to the journal, and committed with the story.

import { messageOf, SagaError } from "../errors.ts";
import { codeTree } from "../repo/code-tree.ts";
import { sealProblem, withSeals } from "../store/runs/receipts.ts";
import type { NewEntry } from "../story/definition/journal.ts";
import { freeId } from "../story/plan/fix-task.ts";
import {
  acceptCommand,
  BY_LOOKING,
  overrideBy,
  type Override,
  type OverrideRequest,
} from "../story/receipts/override.ts";
import { recordEdit } from "../store/runs/person-edit.ts";
import { definitionText } from "../story/receipts/definition-text.ts";
import type { KeyedFinding, Receipt } from "../story/receipts/receipt.ts";
import type { Run } from "../story/state/run.ts";
import { receiptEntry } from "../story/receipts/receipt-text.ts";
import { receiptsFor } from "../story/receipts/latest-receipts.ts";
import {
  mergeReadiness,
  type MergeBlocker,
  type Requirements,
} from "../story/receipts/merge-readiness.ts";
import { weakenedSince, type GateDefinition } from "../story/receipts/weakened-definition.ts";
import { judgeDiffOf, judgeStory } from "../gate/story-gate.ts";
import { oneLine, truncate } from "../text/one-line.ts";
import { requireFinished } from "./require-finished.ts";
import {
  backToDraft,
  commitState,
  gateWorkOf,
  redactorOf,
  workReadiness,
  type StoryWork,
} from "./story-work.ts";

export interface AcceptedStory extends Pick<Override, "setAside" | "unused"> {
  readonly receipts: readonly Receipt[];
}

/** Runs the missing parts of the gate first: code must be checked before it can be approved. */
export async function acceptStory(
  work: StoryWork,
  request: OverrideRequest,
): Promise<AcceptedStory> {
  const { record, required, context } = work;
  requireSeal(work);
  requireFinished(work, { what: `accept ${record.story.id}` });
  const { tree, receipts: held, missing } = await workReadiness(work);
  const judged = missing.length === 0 ? [await judgeDiff(work)] : await judge(work);
  const receipts = receiptsFor([...held, ...judged], tree);
  const word = receipts.findLast(({ gate }) => gate === "person");
  const { open, setAside, unused, isReasonMissing, overridden } = overrideBy(
    blockersOf(receipts, required),
    request,
    word,
  );
  if (open.length > 0) throw refused(record.story.id, open);
  if (isReasonMissing) throw reasonMissing();
  const at = new Date(context.now()).toISOString();
  const accepted: Receipt = {
    ...decisionAt(at, tree, `accepted by ${request.who}`),
    isPassed: true,
    ...(overridden && { overridden }),
  };
  const all = [...receipts, accepted];
  await recordDecision(work, all, {
    outcome: "done",
    reason: `It was accepted by ${request.who}.`,
  });
  const entry = { kind: "receipt", at, ...receiptEntry(all) } as const;
  await work.store.appendJournal(record.story.id, entry);
  await work.store.updateStory(record.story.id, (story) => ({ ...story, status: "completed" }));
  await commitState(work);
  return { receipts: all, setAside, unused };
}

export const reasonMissing = (): SagaError =>
  new SagaError("usage", "Overriding a rule needs a reason.", {
    hint: 'Add it: `--why "…"`.',
  });

/** Without a seal an approval could be forged. */
function requireSeal({ context }: StoryWork): void {
  const problem = sealProblem(context.env);
  if (problem === undefined) return;
  throw new SagaError(
    "unsafe-path",
    "Cannot record your decision: the signing key is unavailable.",
    {
      hint: problem,
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
export const blockersOf = (receipts: readonly Receipt[], required: Requirements): MergeBlocker[] =>
  mergeReadiness(
    receipts.filter(({ gate }) => gate !== "person"),
    required,
  ).mergeBlockers.filter(({ rule }) => !BY_LOOKING.has(rule));

function refused(storyId: string, open: readonly MergeBlocker[]): SagaError {
  const reasons = open.map(({ rule, message }) => `${rule}: ${message}`).join("\n  ");
  return new SagaError(
    "not-ready",
    `Cannot accept ${storyId}: its gate refused it:\n  ${reasons}`,
    {
      hint: `Send it back with feedback: \`saga send-back ${storyId} "…"\`. Or accept it anyway, with a reason: \`${acceptCommand(storyId, open)}\`.`,
    },
  );
}

/** The rest of the first line is in the description. */
const MAX_SUBJECT = 72;

/** A story may be sent back more than once. */
export const reworkTask = (text: string, tasks: readonly { readonly id: string }[]) => ({
  id: freeId("rework", new Set(tasks.map(({ id }) => id))),
  subject: truncate(oneLine(text.split("\n")[0] ?? ""), MAX_SUBJECT),
  description: `A person reviewed the finished story and wants changes:\n\n${text}`,
  status: "pending",
  blockedBy: [],
  writeFiles: [],
  doneWhen: "The requested changes are made, and everything that worked before still works.",
});

/** The first line is the title. */
export function feedbackEntry(text: string, who: string): Omit<NewEntry, "at"> {
  const [title = ""] = text.split("\n");
  return { kind: "feedback", title: `${who}: ${title}`, body: text.slice(title.length).trim() };
}

/** A person's decision on one tree; it replaces an earlier one. */
const decisionAt = (at: string, tree: string, how: string): Receipt => ({
  at,
  gate: "person",
  tree,
  isPassed: false,
  ms: 0,
  how,
  findings: [],
});

/** Records the decision in a run without a worker, which ends at once. */
async function recordDecision(
  { store, record, context }: StoryWork,
  receipts: readonly Receipt[],
  { outcome, reason }: Pick<Run, "outcome"> & { readonly reason: string },
): Promise<void> {
  const log = withSeals(await store.startRun(record.story.id, { reason }), context.env);
  try {
    for (const receipt of receipts) log.append({ ...receipt, type: "gate" }, { isDurable: true });
    log.update({ endedAt: new Date(context.now()).toISOString(), outcome, reason });
  } finally {
    log.close();
  }
}

export interface SentBack {
  readonly taskId: string;
}

/** The feedback becomes a task, so that the next run works on it. */
export async function sendBackStory(work: StoryWork, why: string, who: string): Promise<SentBack> {
  const { store, record, context } = work;
  const { id } = record.story;
  requireSeal(work);
  // Feedback on an unfinished story is for its agent; it is not a decision on the story.
  requireFinished(work, {
    what: `send ${id} back`,
    hint: `Leave a note for its agent: \`saga journal ${id} --decision "…"\`. Answer its question: \`saga resolve ${id} "…"\`. Stop it: \`saga stop ${id}\`.`,
  });
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
  const task = reworkTask(text, record.tasks);
  const at = new Date(context.now()).toISOString();
  const tree = await codeTree(work.repository.git, work.range.commit);
  await recordDecision(work, [decisionAt(at, tree, `sent back by ${who}`)], {
    outcome: "sent-back",
    reason: `Sent back by ${who}.`,
  });
  await store.updateStory(id, (story) => ({ ...story, status: "in_progress" }));
  await store.addTask(id, task);
  await store.appendJournal(id, { at, ...feedbackEntry(text, who) });
  await commitState(work);
  await backToDraft(work);
  return { taskId: task.id };
}

export interface ApprovedEdit {
  /** Where the story asks for less than before this edit. */
  readonly lowered: readonly KeyedFinding[];
  /** The gate takes what the story asks for now as the person's. */
  readonly isApproved: boolean;
  /** For the journal, if the story asks for less by the person's decision. */
  readonly journal: NewEntry | undefined;
}

/**
 * Before a person's edit of a started story is written: records what the story asks for then. This way a killed edit
 * never leaves a lowered definition that no person is known to have decided. `before` is the story before the edit.
 * Without `who` an agent made it, and it does not count.
 */
export async function approveStoryEdit(
  before: StoryWork,
  after: GateDefinition,
  who: string | undefined,
): Promise<ApprovedEdit> {
  const { context, initial, required, record } = before;
  const known = new Set((required.weakened ?? []).map(({ key }) => key));
  const text = definitionText(after);
  const isChanged = definitionText(record) !== text;
  // Recorded by an edit that was killed before it was written: compared with that, nothing would be lowered.
  const isRepeated = initial.some((version) => definitionText(version) === text);
  const lowered = weakenedSince(isRepeated ? [record] : initial, after).filter(
    ({ key }) => !known.has(key),
  );
  // What an agent may have lowered before must not be approved along with it.
  const mayApprove = isChanged && who !== undefined && known.size === 0;
  const reason = `Edited by ${who ?? "an agent"}.`;
  const edit = { definition: after, from: before.range.from, reason };
  const isApproved = mayApprove && (await recordEdit(context, record.id, edit));
  if (!isApproved || lowered.length === 0) return { lowered, isApproved, journal: undefined };
  const at = new Date(context.now()).toISOString();
  const body = lowered.map(({ message }) => `- ${message}`).join("\n");
  const title = `${who} changed what the story asks for`;
  return { lowered, isApproved, journal: { kind: "decision", at, title, body } };
}

/** Commits the edit on the story's branch, so that the merge brings it. Returns why that was not possible yet. */
export const commitStoryEdit = (work: StoryWork): Promise<string | undefined> =>
  // It is in the worktree by now: the next run or merge commits it.
  commitState(work).then(() => undefined, messageOf);
