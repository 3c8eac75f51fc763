// What the journal says about the splitting of tasks, and what it is asked.

import type { Journal, NewEntry } from "../../story/definition/journal.ts";
import { answersTo, hasKey, openEntry, type EntryKey } from "../../story/definition/journal-key.ts";

type Said = Pick<NewEntry, "kind" | "title" | "body" | "key">;

interface SplitFacts {
  readonly task: string;
  readonly reason: string;
}

export const splitDecision = (
  { task, reason }: SplitFacts,
  into: readonly string[],
  finished: boolean,
): Said => ({
  kind: "decision",
  title: `${task} is split into ${into.join(", ")}`,
  body: finished
    ? `${reason} What was there of ${task} is committed, and counts as it is.`
    : reason,
});

export const splitQuestion = (
  storyId: string,
  { task, reason }: SplitFacts,
  problems: readonly string[],
): Said => ({
  kind: "blocker",
  key: keyOf(task),
  title: `How should the task ${task} be split?`,
  body: [
    reason,
    ["No proposal to split it could be taken over:", ...problems.map((one) => `- ${one}`)].join(
      "\n",
    ),
    `Split it yourself: \`saga split ${storyId} ${task} --plan <file>\`. Or answer how it should be done: it is then done as it is, however large it becomes.`,
  ].join("\n\n"),
});

/** That very question, when nobody has answered it yet. */
export const openQuestion = (journal: Journal, task: string): string | undefined =>
  openEntry(journal, keyOf(task))?.blocker;

/** The answer to it, when it was split by hand. */
export const splitAnswer = (blocker: string, into: readonly string[]): Omit<NewEntry, "at"> => ({
  kind: "resolution",
  blocker,
  key: BY_HAND,
  title: `It is split by hand into ${into.join(", ")}`,
  body: "",
});

/** A person has said how it is to be done: the task is neither watched for its size nor split. */
export const isWantedWhole = (journal: Journal, task: string): boolean =>
  answersTo(journal, keyOf(task)).some((answer) => !hasKey(answer, BY_HAND));

const BY_HAND = "split-by-hand" satisfies EntryKey;

const keyOf = (task: string): EntryKey => `split ${task}`;
