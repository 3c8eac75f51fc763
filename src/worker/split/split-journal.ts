// What the journal says about the splitting of tasks, and what it is asked.

import type { Journal, NewEntry } from "../../story/definition/journal.ts";

type Said = Pick<NewEntry, "kind" | "title" | "body">;

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
  title: questionAbout(task),
  body: [
    reason,
    ["No proposal to split it could be taken over:", ...problems.map((one) => `- ${one}`)].join(
      "\n",
    ),
    `Split it yourself: \`saga split ${storyId} ${task} --plan <file>\`. Or answer how it should be done: it is then done as it is, however large it becomes.`,
  ].join("\n\n"),
});

/** That very question, when nobody has answered it yet. */
export const openQuestion = ({ open }: Journal, task: string): string | undefined =>
  open.find(({ title }) => title === questionAbout(task))?.blocker;

/** The answer to it, when it was split by hand. */
export const splitAnswer = (blocker: string, into: readonly string[]) => ({
  kind: "resolution" as const,
  blocker,
  title: `${BY_HAND} ${into.join(", ")}`,
  body: "",
});

/** A person has said how it is to be done: the task is neither watched for its size nor split. */
export const isWantedWhole = ({ entries }: Journal, task: string): boolean =>
  entries.some(
    ({ kind, title, blocker }) =>
      kind === "blocker" &&
      title === questionAbout(task) &&
      entries.some(
        (entry) =>
          entry.kind === "resolution" &&
          entry.blocker === blocker &&
          !entry.title.startsWith(BY_HAND),
      ),
  );

const BY_HAND = "It is split by hand into";

const questionAbout = (task: string): string => `How should the task ${task} be split?`;
