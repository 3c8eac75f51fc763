// What the run of an epic says when it is over: what is left, why, and what is next.

import type { EpicEnd } from "../pool/epic/schedule.ts";
import type { Store } from "../store/store.ts";
import { count } from "../story/count.ts";
import type { Epic } from "../story/epic.ts";
import { EXIT, type ExitCode } from "../story/exit-codes.ts";
import type { StoryState } from "../story/state.ts";
import { usd } from "../story/usd.ts";
import type { Answer } from "./command.ts";
import { NEEDS_YOU, needLines, questionLines } from "./needs-you.ts";
import { plain, type Paint } from "./output.ts";

export async function questionsOf(
  store: Store,
  { open }: EpicEnd,
): Promise<Map<string, readonly string[]>> {
  const blocked = open.flatMap(({ id, state }) => (state === "blocked" ? [id] : []));
  if (blocked.length === 0) return new Map();
  const { stories } = await store.overview(new Set(blocked));
  return new Map([...stories].map(([id, view]) => [id, questionLines(view)]));
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
  /** By story. */
  readonly questions: ReadonlyMap<string, readonly string[]>;
}

export function answer(epic: Epic, end: EpicEnd, manner: Manner): Answer {
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
        ...end.waiting.map(({ id, why }) => plain(`  ${id} waits: ${why}`)),
        ...(isStopped ? goingOn(end) : whatIsNext(epic.id, end, manner, paint)),
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

function whatIsNext(
  epicId: string,
  { open }: EpicEnd,
  { mayMerge, questions }: Manner,
  paint: Paint,
): string[] {
  const needs = open
    .filter(({ state }) => NEEDS_YOU.has(state))
    .map((story) => ({ ...story, about: questions.get(story.id) }));
  const isMergeMissing = !mayMerge && needs.some(({ state }) => state === "review");
  return [
    ...(needs.length === 0 ? [] : [paint("bold", "Needs you"), ...needLines(needs, paint)]),
    ...(isMergeMissing
      ? [`\`saga epic run ${epicId} --merge\` merges what has passed its gate, and goes on.`]
      : []),
  ];
}
