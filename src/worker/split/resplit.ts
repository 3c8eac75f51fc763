// A task that its agent could not get through, or that has grown too large, becomes smaller ones. What
// there is of it is kept and committed first. Every step may be repeated after a crash: the commit is
// found by its trailer, and the new tasks are written with the journal's entry, whole or not at all.

import { realpathSync } from "node:fs";
import { messageOf } from "../../errors.ts";
import { newCostMeter } from "../../agent/cost.ts";
import { realStateFolder } from "../../machine/files/state-folder.ts";
import { whyNotCommittable } from "../../repo/commits/committable.ts";
import { commitPart, commitRest, committedParts } from "../../repo/commits/commits.ts";
import { snapshotChanges } from "../../repo/snapshots/snapshot.ts";
import type { Planned } from "../../agent/inspectors/propose-split.ts";
import { problemSentences, type Proposal } from "../../story/plan/split-proposal.ts";
import { splitTask, type SplitResult } from "../../story/plan/split.ts";
import type { Task } from "../../story/definition/task.ts";
import { scopeOfAgent } from "../agent/agent-scope.ts";
import { commitCompleted } from "../commit-completed.ts";
import { mended } from "../restore-guarded-files.ts";
import { planSplit, type PlanningPlace } from "./plan-split.ts";
import { splitDecision, splitQuestion } from "./split-journal.ts";
import type { PlacedWork, Work } from "../work.ts";

export interface SplitOrder {
  readonly task: string;
  /** A sentence. */
  readonly reason: string;
  /** A person's own; without one a planning run is asked. */
  readonly proposal?: Proposal | undefined;
}

interface Done {
  readonly kind: "split";
  readonly into: readonly string[];
  readonly finished: boolean;
  /** The tasks whose files were written. */
  readonly changed: ReadonlySet<string>;
}

export type Resplit = Done | Exclude<Planned, { kind: "proposed" }>;

export async function resplit(work: PlacedWork, order: SplitOrder): Promise<Resplit> {
  const task = work.board.task(order.task);
  if (task === undefined || task.status === "completed") return nothingLeft(order.task);
  const part = await keepPart(work, task);
  const done = await proposeAndWrite(work, { order, task, part, place: placeOf(work) });
  if (done.kind !== "split") return done;
  await learn(work, done.changed);
  await commitDefinition(work);
  return done;
}

/** A story that has no worktree: nothing was done for it yet, and its files are the project's. */
export async function splitInProject(work: Work, order: SplitOrder): Promise<Resplit> {
  const { store } = work.around;
  const { storyId } = work.order;
  const { tasks } = await store.readStory(storyId);
  const task = tasks.find(({ id }) => id === order.task);
  if (task === undefined || task.status === "completed") return nothingLeft(order.task);
  const project = realpathSync.native(store.project);
  const hidden = [realStateFolder(work.around.env)];
  const scope = { project, worktree: project, storyId, readable: [], hidden };
  const place = { scope, meter: newCostMeter(work.record), ports: {} };
  return proposeAndWrite(work, { order, task, part: { finished: false, progress: "" }, place });
}

const nothingLeft = (task: string): Resplit => ({
  kind: "failed",
  problems: [`There is no task ${task} that is left to do.`],
});

interface Splitting {
  readonly order: SplitOrder;
  readonly task: Task;
  readonly part: KeptPart;
  readonly place: PlanningPlace;
}

async function proposeAndWrite(
  work: Work,
  { order, task, part, place }: Splitting,
): Promise<Resplit> {
  const { around, record, settings } = work;
  const { storyId } = work.order;
  const { reason } = order;
  const { finished } = part;
  const ceiling = settings.size;
  const { taskFields, story } = await around.store.readStory(storyId);
  const decide = (tasks: typeof taskFields, proposal: Proposal): SplitResult =>
    splitTask(tasks, task.id, proposal, { finished, ceiling });
  const question = { story, task, reason, ceiling, taken: [...taskFields.keys()], ...part };
  const planned: Planned = order.proposal
    ? { kind: "proposed", proposal: order.proposal }
    : await planSplit(work, place, question, (proposal) => decide(taskFields, proposal));
  if (planned.kind !== "proposed") return planned;

  const at = new Date(around.now()).toISOString();
  const split = await around.store.splitTask(
    storyId,
    (tasks) => decide(tasks, planned.proposal),
    (into) => ({ at, blocker: undefined, ...splitDecision(order, into, finished) }),
  );
  if (split.kind === "refused")
    return { kind: "failed", problems: problemSentences(split.findings) };
  const { into, files } = split;
  // The same proposal once more has written nothing.
  if (files.length > 0) {
    record.note({ type: "task.split", task: task.id, into, reason }, { isDurable: true });
  }
  return { kind: "split", into, finished, changed: new Set(files.map(({ id }) => id)) };
}

/** A question to a person: nothing more is done until there is an answer. */
export async function askHowToSplit(
  { around, order, record }: PlacedWork,
  split: SplitOrder,
  problems: readonly string[],
): Promise<void> {
  const entry = splitQuestion(order.storyId, split, problems);
  const at = new Date(around.now()).toISOString();
  await around.store.appendJournal(order.storyId, { at, blocker: undefined, ...entry });
  record.note({ type: "journal", kind: entry.kind, title: entry.title }, { isDurable: true });
}

interface KeptPart {
  /** Something of it is committed, now or by a worker that was killed since. */
  readonly finished: boolean;
  readonly progress: string;
}

async function keepPart(work: PlacedWork, { id, subject }: Task): Promise<KeptPart> {
  const { git, gitDir, base, order, exclude, record } = work;
  const { storyId } = order;
  mended(work, { isThorough: true });
  const why = `before ${id} is split`;
  const kept = await snapshotChanges({ git, storyId, why, exclude });
  if (kept) record.note({ type: "kept", ref: kept.ref, why });
  const trouble = await whyNotCommittable(git, gitDir, storyId, exclude);
  if (trouble === undefined) {
    const part = await commitPart({ git, storyId, task: { id, subject }, exclude });
    if (part?.addError !== undefined) {
      record.warn(`Not everything could be committed: ${part.addError}`);
    }
    if (part) record.note({ type: "part.committed", task: id, commit: part.commit });
  } else record.warn(`What there is of ${id} stays uncommitted: ${trouble}`);

  const parts = await committedParts(git, base.commit, { storyId, taskId: id });
  const format = "--format=%h %s";
  const shown = ["log", "--no-walk=unsorted", format, "--stat=100", ...parts, "--", ":!.saga"];
  const committed = parts.length === 0 ? "" : await git.ask(shown);
  const left = await git.ask(["status", "--short", "--", ":(top)", ":(top,exclude).saga"]);
  const progress = [committed, left].filter((text) => text !== "").join("\n\n");
  return { finished: parts.length > 0, progress: progress.slice(0, MAX_PROGRESS) };
}

/** A planner that needs more can look for itself. */
const MAX_PROGRESS = 8_000;

const placeOf = (work: PlacedWork) => ({
  scope: scopeOfAgent(work, work.worktree),
  meter: work.meter,
  ports: work.ports,
});

/** Of the other tasks, what is held counts and not what their files say. */
async function learn(work: PlacedWork, changed: ReadonlySet<string>): Promise<void> {
  const { board, definition, around, order, passed } = work;
  // What was let pass of one is not let pass of the part that has its name now.
  for (const id of changed) passed.delete(id);
  const { tasks, taskFields } = await around.store.readStory(order.storyId);
  board.replace(
    tasks.flatMap((task) => (changed.has(task.id) ? task : (board.task(task.id) ?? []))),
  );
  definition.learnTasks(new Map([...taskFields].filter(([id]) => changed.has(id))));
}

/** The next worker would do it as well. */
async function commitDefinition(work: PlacedWork): Promise<void> {
  const { git, order, exclude, record } = work;
  try {
    await commitCompleted(work);
    await commitRest({ git, storyId: order.storyId, exclude });
  } catch (error) {
    record.warn(`The new tasks are not committed yet: ${messageOf(error)}`);
  }
}
