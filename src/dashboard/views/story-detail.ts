// Everything about one story, for its own page. Parts that cannot be read become problems; the rest is shown.

import { messageOf, SagaError } from "../../errors.ts";
import type { StoryRecord } from "../../store/project/read.ts";
import { parseJournal } from "../../story/definition/journal.ts";
import { findRepository } from "../../repo/repository.ts";
import { listSnapshots } from "../../repo/rescue/restore.ts";
import { requireId } from "../../story/definition/names.ts";
import type { Receipt } from "../../story/receipts/receipt.ts";
import { receiptsFor } from "../../story/receipts/latest-receipts.ts";
import type { Run } from "../../story/state/run.ts";
import { mergeReadiness } from "../../story/receipts/merge-readiness.ts";
import type { LegacyStoryCard } from "./legacy.ts";
import { rangeFacts, type ProjectCache } from "../project/cache.ts";
import type { ReceiptsCache } from "../project/receipts-cache.ts";
import type { JournalCard, RunDetail, StoryDetail, TaskDetail } from "../protocol/details.ts";
import type { ProblemCard } from "../protocol/messages.ts";
import { readRange, readCommits, type GitContext } from "./story-range.ts";
import { readReadiness } from "./story-readiness.ts";
import { problemCard, runCard } from "./cards.ts";

interface DetailContext extends GitContext {
  readonly cache: ProjectCache;
  readonly receipts: ReceiptsCache;
}

export async function readDetail(context: DetailContext, storyId: string): Promise<StoryDetail> {
  const id = requireId("story", storyId);
  const { store, cache } = context;
  const problems: ProblemCard[] = [];
  const view = await store.viewStory(id).catch((error: unknown) => {
    if (!(error instanceof SagaError)) throw error;
    problems.push(...error.problems.map((one) => problemCard(one, store.project, id)));
    return undefined;
  });
  if (view === undefined) {
    const legacy = cache.legacy().stories.find(({ card }) => card.id === id);
    if (legacy) return legacyDetail(legacy);
    if (problems.length === 0) throw notFound(id);
    return { ...EMPTY_STORY_DETAIL, id, version: 0, title: id, problems };
  }
  const { record } = view;
  const runs = await store.listRuns(id);
  const { receipts, unverified } = await context.receipts.read(runs);
  const git = await readGit(context, record, receipts).catch((error: unknown) => {
    problems.push({ story: id, file: ".git", message: messageOf(error) });
    return NO_GIT;
  });
  return {
    id,
    version: cache.facts(id)?.version ?? 0,
    ...definitionOf(record),
    tasks: record.tasks.map(taskDetail),
    journal: journalCards(record.journal ?? ""),
    receipts,
    unverified,
    ...git,
    // Merged: the copy here may still be the one from before, and nothing blocks the merge any more.
    ...(view.state === "completed" && { missing: [], mergeBlockers: [] }),
    runs: runs.map((run) => runDetail(run, cache)),
    problems,
  };
}

const notFound = (id: string): SagaError =>
  new SagaError("not-found", `Story ${id} not found.`, { hint: "It may have been removed." });

const definitionOf = ({ story }: StoryRecord) => ({
  title: story.title,
  description: story.description,
  guidance: story.guidance,
  doneWhen: story.doneWhen,
  avoid: story.avoid,
  checks: story.checks,
  writeFiles: story.writeFiles ?? [],
  needsTesting: story.needsTesting,
  needsReview: story.needsReview,
});

const taskDetail = (task: StoryRecord["tasks"][number]): TaskDetail => ({
  id: task.id,
  subject: task.subject,
  status: task.status,
  blockedBy: task.blockedBy,
  description: task.description,
  guidance: task.guidance,
  doneWhen: task.doneWhen,
  checks: task.checks,
  writeFiles: task.writeFiles ?? [],
});

function journalCards(text: string): JournalCard[] {
  const { entries, open } = parseJournal(text);
  return entries.map((entry) => ({
    kind: entry.kind,
    at: entry.at,
    title: entry.title,
    body: entry.body,
    blocker: entry.blocker,
    isOpen: open.includes(entry),
  }));
}

type GitDetail = Pick<StoryDetail, "commits" | "missing" | "mergeBlockers"> &
  Partial<Pick<StoryDetail, "tree" | "snapshots" | "lastMergeBlockers" | "accepted">>;

const NO_GIT: GitDetail = { commits: [], missing: [], mergeBlockers: [] };

async function readGit(
  context: DetailContext,
  record: StoryRecord,
  receipts: readonly Receipt[],
): Promise<GitDetail> {
  const { id, story } = record;
  const { git } = await findRepository(context.store.project, context.env);
  const snapshots = (await listSnapshots(git, id)).map(({ number, savedAtMs, why, files }) => {
    return { number, at: new Date(savedAtMs).toISOString(), why, files };
  });
  const range = await readRange(context, { id, ...rangeFacts(context.cache, id) });
  if (range === undefined) return { ...NO_GIT, snapshots };
  const { tree, missing, mergeBlockers } = await readReadiness(context, record, {
    range,
    receipts,
  });
  const approval = receiptsFor(receipts, tree).findLast(({ gate }) => gate === "person");
  const last = receipts.findLast(({ gate }) => gate !== "person")?.tree;
  return {
    commits: await readCommits(range),
    tree,
    missing,
    mergeBlockers,
    snapshots,
    ...(missing.length > 0 &&
      last !== undefined &&
      last !== tree && {
        lastMergeBlockers: mergeReadiness(receiptsFor(receipts, last), {
          ...story,
          weakened: "as-judged",
        }).mergeBlockers,
      }),
    ...(approval?.isPassed && {
      accepted: { at: approval.at, how: approval.how ?? "accepted" },
    }),
  };
}

const runDetail = (run: Run, { runs }: ProjectCache): RunDetail => ({
  ...runCard(run, run.endedAt === undefined ? runs.lastAction(run.story) : undefined),
  reason: run.reason,
  model: run.model,
  cycles: run.cycles,
  inputTokens: run.inputTokens,
  outputTokens: run.outputTokens,
});

export const EMPTY_STORY_DETAIL = {
  description: "",
  checks: [],
  writeFiles: [],
  needsTesting: false,
  needsReview: false,
  tasks: [],
  journal: [],
  receipts: [],
  unverified: 0,
  missing: [],
  mergeBlockers: [],
  runs: [],
  commits: [],
} satisfies Partial<StoryDetail>;

function legacyDetail({ card, body }: LegacyStoryCard): StoryDetail {
  return {
    ...EMPTY_STORY_DETAIL,
    id: card.id,
    version: card.version,
    title: card.title,
    tasks: card.tasks.map((task) => ({ ...task, description: "", checks: [], writeFiles: [] })),
    markdown: body,
    problems: [],
  };
}
