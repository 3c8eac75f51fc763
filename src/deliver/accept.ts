// A person's word on a story: accepted as it is, rules set aside with a reason, or sent back with what
// has to be different. It is recorded where agents do not write, told in the journal, and committed with
// the story.

import { SagaError } from "../errors.ts";
import { join } from "node:path";
import { redactorFor } from "../machine/redact.ts";
import { codeTree } from "../repo/code-tree.ts";
import { commitRest } from "../repo/commits.ts";
import { sealFault, withSeals } from "../store/receipts.ts";
import { freeId } from "../story/mend.ts";
import { overrideBy } from "../story/override.ts";
import { withoutSecrets, type Receipt, type Rule } from "../story/receipt.ts";
import { receiptEntry, receiptsFor } from "../story/receipt-text.ts";
import { standingOf, type Objection, type Requirements } from "../story/standing.ts";
import { judgeStory } from "../gate/story-gate.ts";
import { gateWorkOf, receiptsOf, type StoryWork } from "./story-work.ts";

export interface Acceptance {
  readonly overrides: readonly Rule[];
  readonly why: string | undefined;
  /** Who says so. */
  readonly who: string;
}

export interface Accepted {
  readonly receipts: readonly Receipt[];
  readonly setAside: readonly Objection[];
  /** Rules that were to be set aside, and by which nothing objects. */
  readonly unused: readonly Rule[];
}

/** Gates that were not run for this code are run first: nobody accepts what was never looked at. */
export async function acceptStory(work: StoryWork, acceptance: Acceptance): Promise<Accepted> {
  const { repository, range, record, around } = work;
  requireSeal(work);
  requireAllDone(work);
  const tree = await codeTree(repository.git, range.commit);
  const held = receiptsFor(await receiptsOf(work), tree);
  const isProven = standingOf(held, record.story).missing.length === 0;
  const receipts = isProven ? held : receiptsFor([...held, ...(await judge(work))], tree);
  const { why, who, overrides } = acceptance;
  const word = receipts.findLast(({ gate }) => gate === "person");
  const { open, setAside, unused, isReasonMissing, overridden } = overrideBy(
    objectionsTo(receipts, record.story),
    { rules: overrides, why, who },
    word,
  );
  if (open.length > 0) throw refused(record.story.id, open);
  if (isReasonMissing) {
    throw new SagaError("usage", "A rule is only set aside with a reason.", {
      hint: 'Give it: `--why "…"`.',
    });
  }
  const accepted: Receipt = {
    at: new Date(around.now()).toISOString(),
    gate: "person",
    tree,
    isPassed: true,
    ms: 0,
    how: `accepted by ${who}`,
    findings: [],
    ...(overridden && { overridden }),
  };
  await recordWord(work, [...receipts, accepted], `It was accepted by ${who}.`);
  await work.store.updateStory(record.story.id, (story) => ({ ...story, status: "completed" }));
  await commitState(work);
  return { receipts: [...receipts, accepted], setAside, unused };
}

/** A word that nobody could tell from a forged one is none. */
function requireSeal({ around }: StoryWork): void {
  const fault = sealFault(around.env);
  if (fault === undefined) return;
  throw new SagaError("unsafe-path", "Your word cannot be recorded so that it counts.", {
    hint: fault,
  });
}

async function judge(work: StoryWork): Promise<Receipt[]> {
  const copied = work.settings.worktree.copy.map((path) => join(work.store.project, path));
  const redact = redactorFor(work.around.env, copied);
  const judged = await judgeStory(gateWorkOf(work), work.range);
  return judged.map((receipt) => withoutSecrets(receipt, redact));
}

/** Of the gates alone. That a person has looked is what a tester or reviewer is needed for. */
const objectionsTo = (receipts: readonly Receipt[], required: Requirements): Objection[] =>
  standingOf(
    receipts.filter(({ gate }) => gate !== "person"),
    required,
  ).objections.filter(({ rule }) => !BY_LOOKING.has(rule));

const BY_LOOKING: ReadonlySet<string> = new Set(["test", "review"]);

function requireAllDone({ record }: StoryWork): void {
  const left = record.tasks.filter(({ status }) => status !== "completed");
  if (record.tasks.length > 0 && left.length === 0) return;
  throw new SagaError("not-ready", `The story ${record.story.id} is not finished.`, {
    hint: `${left.length} of its ${record.tasks.length} tasks are left: \`saga run ${record.story.id}\`.`,
  });
}

function refused(storyId: string, open: readonly Objection[]): SagaError {
  const rules = [...new Set(open.map(({ rule }) => rule))];
  const said = open.map(({ rule, message }) => `${rule}: ${message}`).join("\n  ");
  return new SagaError("not-ready", `The story ${storyId} does not pass its gate:\n  ${said}`, {
    hint: `Send it back (\`saga reject ${storyId} "…"\`), or set it aside: \`saga accept ${storyId} ${rules.map((rule) => `--override ${rule}`).join(" ")} --why "…"\`.`,
  });
}

/** The run is no worker's: it holds what a person said, and ends at once. */
async function recordWord(
  { store, record, around }: StoryWork,
  receipts: readonly Receipt[],
  reason: string,
): Promise<void> {
  const at = new Date(around.now()).toISOString();
  const log = withSeals(await store.startRun(record.story.id, { reason }), around.env);
  try {
    for (const receipt of receipts) log.append({ ...receipt, type: "gate" }, { isDurable: true });
    log.update({ endedAt: at, outcome: "done", reason });
  } finally {
    log.close();
  }
  await store.appendJournal(record.story.id, { kind: "receipt", at, ...receiptEntry(receipts) });
}

export interface Rejected {
  readonly taskId: string;
}

/** What has to be different becomes a task, so that the next run has it to do and cannot miss it. */
export async function rejectStory(work: StoryWork, why: string, who: string): Promise<Rejected> {
  const { store, record, around } = work;
  const { id } = record.story;
  requireSeal(work);
  if (record.source !== "worktree") {
    throw new SagaError("not-ready", `The story ${id} has no worktree to be reworked in.`, {
      hint: `\`saga run ${id}\` makes it again.`,
    });
  }
  const text = why.trim();
  if (text === "") {
    throw new SagaError("usage", "The reason is empty.", {
      hint: `Say what has to be different: \`saga reject ${id} "…"\`.`,
    });
  }
  const taskId = freeId("rework", new Set(record.tasks.map((task) => task.id)));
  const [title = ""] = text.split("\n");
  await recordRejection(work, who);
  await store.updateStory(id, (story) => ({ ...story, status: "in_progress" }));
  await store.addTask(id, {
    id: taskId,
    subject: "Rework it as the person wants it",
    description: `A person has looked at the finished story and wants it different:\n\n${text}`,
    status: "pending",
    blockedBy: [],
    writeFiles: [],
    doneWhen: "What the person said holds, and everything that held before still does.",
  });
  const at = new Date(around.now()).toISOString();
  const body = text.slice(title.length).trim();
  await store.appendJournal(id, { kind: "feedback", at, title: `${who}: ${title}`, body });
  await commitState(work);
  return { taskId };
}

/** What was accepted before is not any more. */
async function recordRejection(work: StoryWork, who: string): Promise<void> {
  const { repository, range, around, store, record } = work;
  const at = new Date(around.now()).toISOString();
  const tree = await codeTree(repository.git, range.commit);
  const how = `sent back by ${who}`;
  const started = await store.startRun(record.story.id, { reason: `It was ${how}.` });
  const log = withSeals(started, around.env);
  try {
    const word = { at, gate: "person", tree, isPassed: false, ms: 0, how, findings: [] };
    log.append({ ...word, type: "gate" }, { isDurable: true });
    log.update({ endedAt: at, outcome: "stopped", reason: `It was ${how}.` });
  } finally {
    log.close();
  }
}

/** Where the story has no worktree, its files are the person's own to commit. */
async function commitState({ worktree, record }: StoryWork): Promise<void> {
  if (worktree) await commitRest({ git: worktree, storyId: record.story.id, exclude: [] });
}
