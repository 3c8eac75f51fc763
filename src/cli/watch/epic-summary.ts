// What the run of an epic says when it is over: what is left, why, and what is next.

import type { EpicEnd } from "../../epic/schedule.ts";
import type { Store } from "../../store/store.ts";
import { count } from "../../text/plural.ts";
import type { Epic } from "../../story/definition/epic.ts";
import { EXIT, type ExitCode } from "../../story/state/exit-codes.ts";
import type { StoryState } from "../../story/state/state.ts";
import { usd } from "../../text/usd.ts";
import type { CommandResult } from "../program/command.ts";
import { attended, needLines, needRow, type NeedRow } from "../output/needs-you.ts";
import { plain, type Paint } from "../output/terminal.ts";

/** What of the epic a person can act on now, each with its next command. */
export async function needsOf(store: Store, { open }: EpicEnd): Promise<NeedRow[]> {
  if (open.length === 0) return [];
  const { stories } = await store.overview(new Set(open.map(({ id }) => id)));
  return attended(stories.values())
    .filter(
      ({ attention }) => attention.section === "needs-you" || attention.section === "continue",
    )
    .map(needRow);
}

export const reasonOf = ({ children }: Epic, { isDone, open }: EpicEnd): string =>
  isDone
    ? children.length === 0
      ? "It has no stories yet."
      : "All of its stories are completed."
    : `${count(open.length, "story", "stories")} not completed: ${open.map(({ id, state }) => `${id} (${state})`).join(", ")}.`;

interface Manner {
  readonly isStopped: boolean;
  readonly mayMerge: boolean;
  readonly needs: readonly NeedRow[];
}

export function answer(epic: Epic, end: EpicEnd, manner: Manner): CommandResult {
  const { isStopped } = manner;
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
        ...(isStopped ? goingOn(end) : whatIsNext(epic.id, manner, paint)),
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

/** The first that holds, in the order of their numbers. */
function exitCodeOf({ isDone, hasReachedLimit, open }: EpicEnd, isStopped: boolean): ExitCode {
  const has = (wanted: StoryState): boolean => open.some(({ state }) => state === wanted);
  if (isDone) return EXIT.done;
  if (isStopped || has("failed")) return EXIT.error;
  if (hasReachedLimit) return EXIT.limit;
  if (has("blocked")) return EXIT.question;
  return has("review") ? EXIT.notMerged : EXIT.error;
}

function goingOn({ open }: EpicEnd): string[] {
  const atWork = open.filter(({ state }) => state === "running" || state === "stalled");
  if (atWork.length === 0) return [];
  const ids = atWork.map(({ id }) => id).join(", ");
  return atWork.length === 1
    ? [`${ids} goes on in its session; \`saga stop ${ids}\` ends it.`]
    : [`${ids} go on in their sessions; \`saga stop --all\` ends them.`];
}

function whatIsNext(epicId: string, { mayMerge, needs }: Manner, paint: Paint): string[] {
  const isMergeMissing = !mayMerge && needs.some(({ state }) => state === "review");
  return [
    ...(needs.length === 0 ? [] : [paint("bold", "Needs you"), ...needLines(needs, paint)]),
    ...(isMergeMissing
      ? [`\`saga epic run ${epicId} --merge\` merges what has passed its gate, and goes on.`]
      : []),
  ];
}
