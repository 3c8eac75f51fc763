// What `saga epic run --fleet` prints when it ends: what is left of the epic, why, and the next commands.

import type { EpicBudget } from "../../fleet/engine/epic-budgets.ts";
import type { FleetStory } from "../../fleet/view/read-fleet.ts";
import { EXIT, type ExitCode } from "../../story/state/exit-codes.ts";
import type { ParkReason } from "../../story/state/fleet-work.ts";
import type { StoryState } from "../../story/state/state.ts";
import { usd } from "../../text/usd.ts";
import { needLines, type NeedRow } from "../output/needs-you.ts";
import type { Paint } from "../output/terminal.ts";
import type { CommandResult } from "../program/command.ts";
import { exitCodeOf } from "../watch/epic-summary.ts";

export interface EpicFollowed {
  readonly queued: readonly string[];
  readonly stories: readonly FleetStory[];
  readonly end: "done" | "parked" | undefined;
  readonly mayMerge: boolean;
  readonly budget: EpicBudget | undefined;
  /** Stories that are not completed, as this machine knows them now. */
  readonly open: readonly { readonly id: string; readonly state: StoryState }[];
  readonly needs: readonly NeedRow[];
}

export function followedResult(epic: string, followed: EpicFollowed): CommandResult {
  const { queued, stories, end, open, budget } = followed;
  return {
    json: {
      epic,
      queued,
      stories,
      isDone: end === "done",
      ...(end !== undefined && { open }),
      ...(budget && { costUsd: budget.spentUsd, maxUsd: budget.budgetUsd }),
    },
    text: (paint) => `${textOf(epic, followed, paint).join("\n")}\n`,
    exitCode: codeOf(followed),
  };
}

function codeOf({ end, open, stories }: EpicFollowed): ExitCode {
  if (end === undefined || open.length === 0) return EXIT.done;
  const hasReachedLimit =
    stories.some(({ parked }) => parked === "budget") ||
    open.some(({ state }) => state === "limit");
  return exitCodeOf({ isDone: false, hasReachedLimit, open }, false);
}

function textOf(
  epic: string,
  { stories, end, mayMerge, budget, open, needs }: EpicFollowed,
  paint: Paint,
): string[] {
  const ok = paint("green", "✓");
  if (end === undefined) return [`${ok} ${epic} is in the fleet's queue: \`saga fleet status\``];
  if (open.length === 0) return [`${ok} All stories of ${epic} are done`];
  const again = `\`saga epic run ${epic} --fleet${mayMerge ? " --merge" : ""}\``;
  const mark = paint("yellow", "!");
  const sentence = (ids: readonly string[], one: string, several: string, rest = ""): string[] =>
    ids.length === 0
      ? []
      : [`${mark} ${ids.join(", ")} of ${epic} ${ids.length === 1 ? one : several}${rest}`];
  const parked = (why: ParkReason): string[] =>
    stories.filter((story) => story.parked === why).map(({ story }) => story);
  const cost = budget && `${usd(budget.spentUsd)} of ${usd(budget.budgetUsd)} spent`;
  const review = open.filter(({ state }) => state === "review").map(({ id }) => id);
  const gated = review.filter((id) => !parked("person").includes(id));
  return [
    ...sentence(parked("person"), "needs a person", "need a person"),
    ...sentence(
      parked("budget"),
      "waits",
      "wait",
      `: ${cost ?? "the budget is spent"} in this run`,
    ),
    ...sentence(parked("discarded"), "was discarded", "were discarded"),
    ...sentence(parked("stopped"), "was taken out of the queue", "were taken out of the queue"),
    ...sentence(gated, "passed its gate", "passed their gates", ", and people merge"),
    ...stories
      .filter(({ queue }) => queue === "waiting")
      .map(({ story }) => `  ${story} waits for other stories`),
    ...(needs.length === 0 ? [] : [paint("bold", "Needs you"), ...needLines(needs, paint)]),
    ...(parked("budget").length > 0 ? [`${again} continues with a new budget.`] : []),
    ...(parked("stopped").length > 0 ? [`${again} queues again what was taken out.`] : []),
    ...(parked("discarded").length > 0 ? [`${again} queues again what was discarded.`] : []),
    ...(gated.length > 0 && !mayMerge
      ? [`\`saga epic run ${epic} --fleet --merge\` merges what passed its gate, and continues.`]
      : []),
  ];
}
