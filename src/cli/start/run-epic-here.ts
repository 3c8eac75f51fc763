// `saga epic run` in this process: it owns the epic's run, starts the stories, merges what passed, and shows the progress.

import { rmSync } from "node:fs";
import { findLostMerge, lostSentence } from "../../deliver/earlier-merge.ts";
import { restoreEpicBranch } from "../../deliver/epic/target.ts";
import { runEpic, type EpicRunActions } from "../../epic/run-epic.ts";
import { messageOf } from "../../errors.ts";
import { openForge } from "../../repo/open-forge.ts";
import { findRepository } from "../../repo/repository.ts";
import { epicBudgetSpent, requestDrain } from "../../store/leases/drain-request.ts";
import { epicInUse } from "../../store/leases/in-use.ts";
import { epicLease } from "../../store/leases/lease-names.ts";
import { LEASE_TTL_MS, renewedLease } from "../../store/leases/renew-lease.ts";
import { layoutOf } from "../../store/project/layout.ts";
import type { Store } from "../../store/store.ts";
import type { Epic } from "../../story/definition/epic.ts";
import type { Settings } from "../../story/settings/settings.ts";
import { deliverContext, mergeAndNotify } from "../deliver/merge-command.ts";
import { mergeResult } from "../deliver/merge-result.ts";
import { drainElsewhere } from "../fleet/stop-elsewhere.ts";
import { lines, type Paint } from "../output/terminal.ts";
import type { CommandContext, CommandResult } from "../program/command.ts";
import { newestRun, notifyOfEpic, openEpicPullRequest } from "../watch/epic-end.ts";
import { startEpicLive, type EpicLive } from "../watch/epic-live.ts";
import { epicResult, needsOf } from "../watch/epic-summary.ts";
import { notifyOfBudget } from "../watch/notify.ts";
import { asClause, dayRefusal, usualStoryCost } from "./budget.ts";
import type { RunOptions } from "./run-options.ts";
import { startSession } from "./start-story.ts";

/** A killed worker changes no file, so its story is polled. */
const POLL_MS = 5_000;

export interface EpicRunHere {
  readonly context: CommandContext;
  readonly store: Store;
  readonly settings: Settings;
  readonly epic: Epic;
  readonly parallel: number;
  readonly isByEpic: boolean;
  readonly mayMerge: boolean;
  /** Whether merges update checkouts of the target; undefined asks the settings. */
  readonly updateCheckouts: boolean | undefined;
  readonly options: RunOptions & {
    readonly session?: string;
    readonly outputFile?: string;
    readonly json?: boolean;
  };
}

interface Following {
  readonly stop: AbortSignal;
  readonly live: EpicLive;
  readonly printLine: (sentence: string) => void;
  readonly maxCostUsd: number | undefined;
  /** When this run began: it tells its notifications from those of others. */
  readonly startedAt: string;
}

export async function runEpicHere(run: EpicRunHere): Promise<CommandResult> {
  const { context, store, settings, epic, parallel, mayMerge, options } = run;
  const { io } = context;
  const { lease: acquired, heldBy } = await store.leases.acquire(epicLease(epic.id), {
    owner: mayMerge ? "saga epic run, merging" : "saga epic run",
    purpose: mayMerge ? "merging-epic-run" : "work",
    ttlMs: LEASE_TTL_MS,
  });
  if (!acquired) throw epicInUse(epic.id, heldBy.owner);
  const lease = renewedLease(acquired);
  const stop = AbortSignal.any([io.untilStopped(), lease.lost]);
  const maxCostUsd = options.maxCost ?? (settings.budget.epic || undefined);
  const isShown = io.isTerminal && options.session === undefined && !options.json;
  const live = startEpicLive(io, { store, epic, parallel, isShown });
  const printLine = (sentence: string): void => live.print(`${lines(sentence)}\n`);
  const onLost = (): void =>
    printLine(`Another machine has taken over the epic ${epic.id}, so this run ends.`);
  lease.lost.addEventListener("abort", onLost);
  try {
    const startedAt = lease.record.takenAt;
    return await follow(run, { stop, live, printLine, maxCostUsd, startedAt });
  } finally {
    live.end();
    await lease.release();
  }
}

async function follow(run: EpicRunHere, following: Following): Promise<CommandResult> {
  const { context, store, settings, epic, parallel, isByEpic, mayMerge, options } = run;
  const { stop, live, printLine, maxCostUsd, startedAt } = following;
  if (isByEpic) await restoreBranch(run, following);
  const request = {
    epicId: epic.id,
    lostMerges: await findLost(run, printLine),
    parallel,
    mayMerge,
    overlap: settings.epic.overlap,
    mayResume: settings.recover.resume,
    maxCostUsd,
    usualCostUsd: usualStoryCost(store.project, settings),
  };
  const end = await runEpic(store, request, actionsOf(run, following));
  live.end();
  if (isByEpic) await openEpicPullRequest(context, { store, settings, epic, end }, printLine);
  if (!stop.aborted) {
    const runId = (end.isDone ? await newestRun(store, epic) : undefined) ?? startedAt;
    await notifyOfEpic(context, { store, settings, epic, end }, runId);
  }
  // If stories are left, the output is kept until `saga clean`, because it says why.
  const { session, outputFile } = options;
  if (session !== undefined && outputFile !== undefined && (end.isDone || stop.aborted)) {
    rmSync(outputFile, { force: true });
  }
  const needs = await needsOf({ store, env: context.io.env }, end.open);
  return epicResult(epic, end, { isStopped: stop.aborted, mayMerge, needs });
}

function actionsOf(
  { context, store, settings, epic, options, updateCheckouts }: EpicRunHere,
  { stop, live, printLine, maxCostUsd, startedAt }: Following,
): EpicRunActions {
  const { io } = context;
  const { env } = io;
  return {
    stop,
    pollMs: POLL_MS,
    log: printLine,
    start: async (id, leftUsd) =>
      void (await startSession(context, id, {
        ...options,
        maxCost: settings.run.maxCost || undefined,
        epicBudget: leftUsd,
      })),
    dayRefusal: () => {
      const reason = dayRefusal(store.project, settings);
      return reason && asClause(reason);
    },
    onNearLimit: (spentUsd) =>
      void notifyOfBudget(
        { io, store, settings, env },
        { spentUsd, budgetUsd: maxCostUsd ?? 0 },
        { occasion: `${epic.id}/${startedAt}`, epic: epic.id },
      ),
    drain: async (id, budgetUsd) => {
      if (await drainElsewhere({ store, env }, id, budgetUsd)) return;
      requestDrain(layoutOf(store.project), id, Date.now(), epicBudgetSpent(budgetUsd));
    },
    merge: async (id) => {
      const delivery = { ...deliverContext(context), onStep: undefined, stop };
      const merged = await mergeAndNotify(context, delivery, id, { updateCheckouts });
      live.print(mergeResult(id, merged).text(plainly));
      // After a conflict or a failure the story has a new task for its agent.
      return merged.kind === "merged" || ("taskId" in merged && merged.taskId !== undefined);
    },
  };
}

/** Done before a story builds on the branch. If it fails, each story that needs the branch reports why. */
async function restoreBranch(
  { context: { io }, store, settings, epic }: EpicRunHere,
  { stop, printLine }: Following,
): Promise<void> {
  try {
    const repository = await findRepository(store.project, io.env);
    const forge = openForge(repository, { settings, env: io.env, now: Date.now });
    await restoreEpicBranch({ repository, forge, settings, stop, onWarning: printLine }, epic.id);
  } catch (error) {
    printLine(messageOf(error));
  }
}

/** Runs of merged stories whose commits are no longer in the target. */
async function findLost(
  { context: { io }, store, epic }: EpicRunHere,
  printLine: (sentence: string) => void,
): Promise<Set<string>> {
  const { stories } = await store.overview(new Set(epic.children.map(({ id }) => id)));
  const repository = await findRepository(store.project, io.env);
  const lost = new Set<string>();
  for (const [id, view] of stories) {
    const into = await findLostMerge({ store, env: io.env, now: Date.now, repository }, view);
    if (into === undefined || view.lastRun.id === undefined) continue;
    printLine(lostSentence(id, into));
    lost.add(view.lastRun.id);
  }
  return lost;
}

const plainly: Paint = (_, text) => text;
