// The journal's entries about split tasks, and what they mean for the worker.

import type { Journal, NewEntry } from "../../story/definition/journal.ts";
import { answersTo, hasKey, openEntry, type EntryKey } from "../../story/definition/journal-key.ts";

type EntryText = Pick<NewEntry, "kind" | "title" | "body" | "key">;

interface SplitFacts {
  readonly task: string;
  readonly reason: string;
}

export const splitDecision = (
  { task, reason }: SplitFacts,
  into: readonly string[],
  finished: boolean,
): EntryText => ({
  kind: "decision",
  title: `${task} was split into ${into.join(", ")}`,
  body: finished
    ? `${reason} The work on ${task} so far is committed, and ${task} counts as completed.`
    : reason,
});

export const splitQuestion = (
  storyId: string,
  { task, reason }: SplitFacts,
  problems: readonly string[],
): EntryText => ({
  kind: "blocker",
  key: keyOf(task),
  title: `How should the task ${task} be split?`,
  body: [
    reason,
    ["No proposal to split it could be used:", ...problems.map((one) => `- ${one}`)].join("\n"),
    `Split it yourself: \`saga split ${storyId} ${task} --plan <file>\`. Or answer how it should be done: it then stays one task, however large it becomes.`,
  ].join("\n\n"),
});

/** The blocker that asks how to split this task, if it is unanswered. */
export const openQuestion = (journal: Journal, task: string): string | undefined =>
  openEntry(journal, keyOf(task))?.blocker;

/** Answers that blocker when a person has split the task. */
export const splitAnswer = (blocker: string, into: readonly string[]): Omit<NewEntry, "at"> => ({
  kind: "resolution",
  blocker,
  key: BY_HAND,
  title: `Split by hand into ${into.join(", ")}`,
  body: "",
});

/** A person answered how to do the task as one: its size is not watched, and it is not split. */
export const mustStayWhole = (journal: Journal, task: string): boolean =>
  answersTo(journal, keyOf(task)).some((answer) => !hasKey(answer, BY_HAND));

const BY_HAND = "split-by-hand" satisfies EntryKey;

const keyOf = (task: string): EntryKey => `split ${task}`;
