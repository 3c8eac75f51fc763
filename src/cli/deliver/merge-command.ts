// What the commands that judge and deliver a story have in common.

import {
  mergeStory,
  type CheckedOut,
  type findCheckout,
  type MergeResult,
  type MergeOptions,
} from "../../deliver/merge.ts";
import { mergedSentence } from "../../deliver/earlier-merge.ts";
import { retryPush } from "../../deliver/push-story.ts";
import type { DeliverContext } from "../../deliver/story-work.ts";
import { SagaError } from "../../errors.ts";
import { endJudging } from "../../gate/judging.ts";
import { storyLease } from "../../store/leases/lease-names.ts";
import type { Store } from "../../store/store.ts";
import {
  adviceHint,
  checkoutAdvice,
  checkoutQuestion,
  type CheckoutAdvice,
} from "../../story/receipts/checkout-advice.ts";
import { EXIT, type ExitCode } from "../../story/state/exit-codes.ts";
import { requireId } from "../../story/definition/names.ts";
import type { CommandResult, Exits, CommandContext } from "../program/command.ts";
import { lines, plain } from "../output/terminal.ts";
import { tellOfQuestion } from "../watch/notify.ts";

export const aroundOf = ({ io, openProject }: CommandContext): DeliverContext => ({
  store: openProject(),
  env: io.env,
  now: Date.now,
  stop: io.untilStopped(),
  onStep: (about) => io.writeError(`${plain(about)} …\n`),
  onWarning: once((sentence) => io.writeError(`${plain(sentence)}\n`)),
});

/** A command that looks twice says it once. */
function once(say: (sentence: string) => void): (sentence: string) => void {
  const said = new Set<string>();
  return (sentence) => {
    if (!said.has(sentence)) say(sentence);
    said.add(sentence);
  };
}

/** While a person decides about a story, no worker begins on it. */
export async function withStoryClaimed<T>(
  store: Store,
  storyId: string,
  act: () => Promise<T>,
): Promise<T> {
  const name = storyLease(requireId("story", storyId));
  const { lease, heldBy } = await store.leases.acquire(name, DECIDING);
  if (!lease) {
    throw new SagaError("in-use", `The story ${storyId} is being worked on (${heldBy.owner}).`, {
      hint: `Wait until it has ended, or stop it: \`saga stop ${storyId}\`.`,
    });
  }
  try {
    await endJudging(store.project, storyId);
    return await act();
  } finally {
    lease.release();
  }
}

const DECIDING = { owner: "saga", purpose: "command", ttlMs: 90_000 } as const;

/**
 * Whether the checkout of the target may be updated, asked once before anything long is run: only a person at a
 * terminal who has not said it already.
 */
export async function askAboutCheckout(
  { io }: CommandContext,
  around: DeliverContext,
  {
    id,
    given,
    find,
  }: {
    readonly id: string;
    readonly given: boolean | undefined;
    readonly find: typeof findCheckout;
  },
): Promise<boolean | undefined> {
  if (given !== undefined || !io.isTerminal) return given;
  if ((await around.store.settings()).delivery.updateCheckout) return given;
  const busy = await find(around, id);
  if (!busy?.isUpdatable) return given;
  return isYes(await io.ask(`${plain(checkoutQuestion({ ...busy, id }))} [y/N] `));
}

export const isYes = (answer: string): boolean => /^y(?:es)?$/i.test(answer.trim());

/** A conflict that its agent has tried already becomes a question, and a person may not be looking. */
export async function mergeAndTell(
  { io }: CommandContext,
  around: DeliverContext,
  storyId: string,
  options: MergeOptions,
): Promise<MergeResult> {
  await retryPush(around, storyId);
  const merged = await mergeStory(around, storyId, options);
  const isQuestion = merged.kind === "conflict" && merged.taskId === undefined;
  if (isQuestion) await tellOfQuestion({ io, store: around.store }, storyId);
  return merged;
}

export const MERGE_EXITS: Exits = {
  1: "it was refused, is in conflict, or was stopped; nothing was moved",
  3: "it is in conflict again, which is a question for you now",
  4: "it was not merged because its target is checked out: add --update-checkout",
};

export function mergedAnswer(storyId: string, merged: MergeResult): CommandResult {
  const isDone = merged.kind === "merged";
  return {
    json: {
      story: storyId,
      ...merged,
      ...(merged.kind === "checked-out" && hintOf(storyId, merged)),
    },
    text: (paint) =>
      `${sentences(storyId, merged)
        .map((sentence, at) =>
          isDone && at === 0 ? paint("green", lines(sentence)) : lines(sentence),
        )
        .join("\n")}\n`,
    exitCode: exitCodeOf(merged),
  };
}

function exitCodeOf(merged: MergeResult): ExitCode {
  switch (merged.kind) {
    case "merged":
      return EXIT.done;
    case "checked-out":
      return EXIT.notMerged;
    case "conflict":
      // With a task it is its agent's to resolve; without one it has become a question.
      return merged.taskId === undefined ? EXIT.question : EXIT.error;
    default:
      return EXIT.error;
  }
}

export const adviceOn = (id: string, found: CheckedOut) =>
  checkoutAdvice({ ...found, id, isVerified: found.commit !== undefined });

/** For the page, which says the same. */
export function hintOf(id: string, found: CheckedOut) {
  const advice = adviceOn(id, found);
  return {
    message: advice.message,
    hint: adviceHint(advice),
    question: checkoutQuestion({ ...found, id }),
  };
}

function sentences(storyId: string, merged: MergeResult): string[] {
  switch (merged.kind) {
    case "merged":
      return [
        merged.wasThere
          ? mergedSentence({ storyId, ...merged })
          : `${storyId} is merged into ${merged.into} as ${merged.commit.slice(0, 12)}.`,
        ...(merged.worktree === undefined ? [] : [`Its worktree stays: ${merged.worktree}`]),
        ...pullLine(merged),
        ...merged.warnings,
      ];
    case "conflict":
      return [
        `${storyId} conflicts with its target in ${merged.conflict.files.map(({ path }) => path).join(", ")}.`,
        merged.taskId === undefined
          ? `Its agent has resolved it once already; now it is a question for you: \`saga journal ${storyId} --open\`, then \`saga resolve ${storyId} "…"\` and \`saga run ${storyId}\`.`
          : `Its agent is to resolve it: \`saga run ${storyId}\`, then \`saga merge ${storyId}\` again.`,
      ];
    case "refused":
      return [
        `${storyId} was not merged; nothing was changed. On top of its target: ${merged.reason}`,
      ];
    case "checked-out":
      return lineByLine(adviceOn(storyId, merged));
    case "moved":
      return [`${merged.why} Try again.`];
    case "stopped":
      return ["Stopped; nothing was changed."];
  }
}

export const pullLine = ({
  into,
  pull,
}: {
  readonly into: string;
  readonly pull?: string | undefined;
}): string[] =>
  pull === undefined ? [] : [`${into} here is behind the remote now: \`${pull}\` updates it.`];

export const lineByLine = ({ message, toDo, command, always }: CheckoutAdvice): string[] => [
  message,
  toDo,
  `  ${command}`,
  ...(always === undefined ? [] : [always]),
];
