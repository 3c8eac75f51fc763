// What an epic's run prints at its end: which stories are left, why, and the next commands.

import type { EpicEnd } from "../../epic/schedule.ts";
import type { Context } from "../../context.ts";
import { count } from "../../text/plural.ts";
import type { Epic } from "../../story/definition/epic.ts";
import { EXIT, type ExitCode } from "../../story/state/exit-codes.ts";
import { isRunning, type StoryState } from "../../story/state/state.ts";
import { usd } from "../../text/usd.ts";
import type { CommandResult } from "../program/command.ts";
import { withAttention, needLines, needRow, type NeedRow } from "../output/needs-you.ts";
import { weakenedIn } from "../output/merge-status.ts";
import { plain, type Paint } from "../output/terminal.ts";

/** The epic's stories that a person can act on, each with its next command. */
export async function needsOf(
  { store, env }: Pick<Context, "store" | "env">,
  open: EpicEnd["open"],
): Promise<NeedRow[]> {
  if (open.length === 0) return [];
  const { stories } = await store.overview(new Set(open.map(({ id }) => id)));
  const views = [...stories.values()];
  return withAttention(views, await weakenedIn({ store, env }, views))
    .filter(
      ({ attention }) => attention.section === "needs-you" || attention.section === "continue",
    )
    .map(needRow);
}

export const reasonOf = ({ id: epic, children }: Epic, { isDone, open }: EpicEnd): string =>
  isDone
    ? children.length === 0
      ? `${epic} has no stories yet. Add one: \`saga new story <name> --epic ${epic} -d "…"\`.`
      : `All stories of ${epic} are completed.`
    : `${count(open.length, "story", "stories")} not completed: ${open.map(({ id, state }) => `${id} (${state})`).join(", ")}.`;

interface EpicRunFacts {
  readonly isStopped: boolean;
  readonly mayMerge: boolean;
  readonly needs: readonly NeedRow[];
}

export function epicResult(epic: Epic, end: EpicEnd, facts: EpicRunFacts): CommandResult {
  const { isStopped } = facts;
  return {
    json: {
      epic: epic.id,
      isDone: end.isDone,
      isStopped,
      open: end.open,
      waiting: end.waiting,
      hasReachedLimit: end.hasReachedLimit,
      ...end.cost,
    },
    text: (paint) =>
      [
        isStopped ? `The run of ${epic.id} was stopped.` : reasonOf(epic, end),
        ...costLine(end),
        ...end.waiting.map(({ id, why }) => plain(`  ${id} is waiting: ${why}`)),
        ...(isStopped ? stillRunningLine(end) : nextSteps(epic.id, facts, paint)),
        "",
      ].join("\n"),
    exitCode: exitCodeOf(end, isStopped),
  };
}

function costLine({ cost }: EpicEnd): string[] {
  if (cost === undefined || cost.costUsd === 0) return [];
  const of = cost.maxUsd === undefined ? "" : ` of ${usd(cost.maxUsd)}`;
  const isOver = cost.maxUsd !== undefined && cost.costUsd >= cost.maxUsd;
  const spent = `${usd(cost.costUsd, cost.costIsEstimate)}${of} spent in this run.`;
  return [isOver ? `Cost limit reached: ${spent}` : spent];
}

/** Of several that apply, the lowest code wins. */
export function exitCodeOf(
  { isDone, hasReachedLimit, open }: Pick<EpicEnd, "isDone" | "hasReachedLimit" | "open">,
  isStopped: boolean,
): ExitCode {
  const has = (wanted: StoryState): boolean => open.some(({ state }) => state === wanted);
  if (isDone) return EXIT.done;
  if (isStopped || has("failed")) return EXIT.error;
  if (hasReachedLimit) return EXIT.limit;
  if (has("blocked")) return EXIT.question;
  return has("review") ? EXIT.notMerged : EXIT.error;
}

function stillRunningLine({ open }: EpicEnd): string[] {
  const running = open.filter(({ state }) => isRunning(state));
  if (running.length === 0) return [];
  const ids = running.map(({ id }) => id).join(", ");
  return running.length === 1
    ? [`${ids} is still running; \`saga stop ${ids}\` stops it.`]
    : [`${ids} are still running; \`saga stop --all\` stops them.`];
}

function nextSteps(epicId: string, { mayMerge, needs }: EpicRunFacts, paint: Paint): string[] {
  const isMergeMissing = !mayMerge && needs.some(({ state }) => state === "review");
  return [
    ...(needs.length === 0 ? [] : [paint("bold", "Needs you"), ...needLines(needs, paint)]),
    ...(isMergeMissing
      ? [
          `\`saga epic run ${epicId} --merge\` merges stories that passed their gate, and continues.`,
        ]
      : []),
  ];
}
