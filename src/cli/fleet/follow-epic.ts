// `saga epic run --fleet`: puts the epic into the fleet's queue and follows it. Ending this command ends nothing else.

import { setTimeout as wait } from "node:timers/promises";
import { endOf, newEndWatch } from "../../fleet/backlog/epic-run.ts";
import type { EpicBudget } from "../../fleet/engine/epic-budgets.ts";
import { fleetWorkText } from "../../story/state/fleet-work.ts";
import { fleetView, type FleetStory } from "../../fleet/view/read-fleet.ts";
import { shareEpic, unshareEpic } from "../../repo/sharing/shared-epics.ts";
import type { Store } from "../../store/store.ts";
import { budgetLevel, type BudgetLevel } from "../../story/money/day-budget.ts";
import { usd } from "../../text/usd.ts";
import type { CommandContext, CommandResult } from "../program/command.ts";
import { needsOf } from "../watch/epic-summary.ts";
import { notifyOfBudget } from "../watch/notify.ts";
import { enqueueEpic } from "./enqueue-epic.ts";
import { followedResult } from "./followed-end.ts";
import { openFollowingLook } from "./follow-discards.ts";
import { openFleetOf } from "./open-fleet.ts";

interface EpicOptions {
  readonly merge: boolean;
  /** Returns at once. */
  readonly detach: boolean;
  /** What this run of the epic may cost on all machines together. */
  readonly budgetUsd?: number | undefined;
  /** Called with the stories after each look. */
  readonly onLook?: (stories: readonly FleetStory[]) => Promise<void>;
}

const POLL_MS = 2_000;

export async function runEpicOnFleet(
  { io, openProject }: CommandContext,
  epicId: string,
  { merge, detach, budgetUsd, onLook = async () => undefined }: EpicOptions,
): Promise<CommandResult> {
  const store = openProject();
  const { env } = io;
  const settings = await store.settings();
  const fleet = await openFleetOf({ project: store.project, env }, settings);
  const { repository, root, epicBudgets } = fleet;
  const stop = io.untilStopped();
  const jobs = await fleet.openJobs();
  try {
    const epic = { epicId, merge, budgetUsd };
    const place = { store, repository, jobs, root, epicBudgets };
    const { queued, open } = await enqueueEpic(place, epic);
    await shareEpic(repository, epic);
    const shown = new Map<string, string>();
    const findEnd = detach ? endOf : newEndWatch();
    const occasion = `${epicId}/${new Date().toISOString()}`;
    const reportBudget = newBudgetReport(io.writeError, (spent) =>
      notifyOfBudget({ io, store, settings, env }, spent, { occasion, epic: epicId }),
    );
    for (;;) {
      const all = fleetView(fleet, {
        machines: [],
        jobs: await jobs.list(),
        leases: await fleet.leases.list(),
      }).stories;
      // In the order of the epic.
      const stories = open.flatMap((id) => all.filter(({ story }) => story === id));
      const budget = await epicBudgets.ofEpic(epicId);
      if (!detach) {
        showChanges(stories, shown, io.writeError);
        await reportBudget(budget);
      }
      await onLook(stories);
      const end = findEnd(stories.map(({ queue }) => queue));
      if (end !== undefined) {
        // So that `saga list` here shows the end. If it fails, the next look does.
        await openFollowingLook({ store, repository, env, fleet, onProblem: () => undefined })
          .look()
          .catch(() => undefined);
      }
      if (end !== undefined || detach || stop.aborted) {
        const left = end === undefined ? [] : await readOpen(store, open);
        if (end === "done" && left.length === 0) {
          await unshareEpic(repository, epicId);
          await epicBudgets.save(
            { epic: epicId, stories: [], budgetUsd: undefined },
            { isNewRun: true },
          );
        }
        const needs = await needsOf({ store, env }, left);
        const mayMerge = merge;
        return followedResult(epicId, {
          queued,
          stories,
          end,
          mayMerge,
          budget,
          open: left,
          needs,
        });
      }
      await wait(POLL_MS, undefined, { signal: stop }).catch(() => undefined);
    }
  } finally {
    await jobs.close();
    await fleet.close();
  }
}

function showChanges(
  stories: readonly FleetStory[],
  shown: Map<string, string>,
  write: (text: string) => void,
): void {
  for (const one of stories) {
    const about = fleetWorkText(one);
    if (shown.get(one.story) !== about) write(`${one.story}  ${about}\n`);
    shown.set(one.story, about);
  }
}

/** Says once that most of the budget is spent, and once that all of it is. */
function newBudgetReport(
  write: (text: string) => void,
  notify: (spent: { readonly spentUsd: number; readonly budgetUsd: number }) => Promise<void>,
): (budget: EpicBudget | undefined) => Promise<void> {
  let shown: BudgetLevel = "free";
  return async (budget) => {
    if (budget === undefined) return;
    const { spentUsd, budgetUsd } = budget;
    const level = budgetLevel(budgetUsd, spentUsd);
    if (level === shown || level === "free") return;
    const cost = `${usd(spentUsd)} of ${usd(budgetUsd)} spent`;
    write(
      level === "spent" ? `Cost limit of this run reached: ${cost}.\n` : `${cost} in this run.\n`,
    );
    if (shown === "free") await notify({ spentUsd, budgetUsd });
    shown = level;
  };
}

/** Stories that are not merged: a member's work on one also ends when it has passed its gate. */
async function readOpen(store: Store, ids: readonly string[]) {
  const { stories, archived } = await store.overview(new Set(ids));
  return ids.flatMap((id) => {
    const state = stories.get(id)?.state;
    return archived.has(id) || state === undefined || state === "completed" ? [] : [{ id, state }];
  });
}
