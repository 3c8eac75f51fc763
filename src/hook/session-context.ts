// What Claude is told when a session begins, goes on, or has been compacted: where it is, and what of
// the project waits for a person. Pure.

import { aboutStory } from "../story/prompt.ts";
import type { StoryState } from "../story/state.ts";
import type { PlainStory } from "../store/plain-story.ts";
import type { Surroundings } from "../store/surroundings.ts";

export interface OwnStory {
  readonly id: string;
  readonly story: PlainStory;
  readonly state: StoryState;
  /** The checkout that the session is kept to; in the main one when its environment names the story. */
  readonly checkout: string;
  readonly context: Surroundings["context"];
  readonly questions: readonly string[];
}

/** A story with a worktree and no living worker that is not finished. */
export interface LeftOver {
  readonly id: string;
  readonly state: StoryState;
  readonly worktree: string;
  /** Nothing when git cannot tell. */
  readonly hasUncommitted: boolean | undefined;
}

/** More than this Claude Code would put into a file, and show the beginning of. */
const MAX_LENGTH = 9_000;

export const mainContext = (leftOvers: readonly LeftOver[]): string =>
  [
    "This project is run with Saga: its goals are epics, stories and tasks under `.saga/`. `saga status` tells what runs and what needs a person, `saga list` shows every story, `saga --help` the rest. Create and change stories with `saga` commands, not by editing files under `.saga/`; a story's work happens in its own worktree, by `saga run <story>`.",
    ...leftOverReport(leftOvers),
  ].join("\n\n");

export const lostStoryContext = (id: string, context: Surroundings["context"]): string =>
  `${BELONGS_TO[context]} ${id}, whose files are not there or cannot be read. \`saga validate\` says what is wrong: tell the person before anything else is done here.`;

export function storyContext(own: OwnStory, leftOvers: readonly LeftOver[]): string {
  const { id, story, checkout, context } = own;
  return shortened(
    [
      `${BELONGS_TO[context]} ${id}: ${story.title}`,
      ...aboutStory(story),
      tasksOf(story),
      ...(own.questions.length > 0 ? [questionsOf(own)] : []),
      `Work on files in ${JSON.stringify(checkout)} only. ${OUT_OF_SCOPE[context]}, other stories, the archive and \`.git\` are out of this story's scope, and refused.`,
      ...(own.state === "running" || own.state === "stalled" ? [workerNote(id)] : []),
      ...leftOverReport(leftOvers),
    ].join("\n\n"),
    `\n… (cut; \`saga show ${id}\` has all of it)`,
  );
}

const BELONGS_TO = {
  "story-worktree": "This session is in the worktree of the Saga story",
  main: "This session was started for the Saga story (its environment says so)",
} as const;

const OUT_OF_SCOPE = {
  "story-worktree": "The main checkout",
  main: "Worktrees",
} as const;

const tasksOf = ({ tasks }: PlainStory): string =>
  ["Its tasks:", ...tasks.map(({ id, status, subject }) => `- ${id} (${status}): ${subject}`)].join(
    "\n",
  );

const questionsOf = ({ id, questions }: OwnStory): string =>
  [
    `It is blocked by a question that only a person can answer (\`saga resolve ${id}\`):`,
    ...questions.map((question) => `- ${question}`),
  ].join("\n");

const workerNote = (id: string): string =>
  `A Saga worker is at work on this story right now. Look, and change nothing under its hands: \`saga logs ${id} -f\` shows what it does, \`saga stop ${id}\` ends it.`;

/** Facts and a question: nothing is resumed or thrown away without a person's word. */
function leftOverReport(leftOvers: readonly LeftOver[]): string[] {
  if (leftOvers.length === 0) return [];
  return [
    [
      "Stories that were begun and that nobody works on now:",
      ...leftOvers.map(describe),
      "Tell the person about them first, and ask for each what to do. Do not resume or discard anything by yourself.",
    ].join("\n"),
  ];
}

function describe({ id, state, worktree, hasUncommitted }: LeftOver): string {
  const tree =
    hasUncommitted === undefined
      ? "cannot be read by git"
      : hasUncommitted
        ? "has uncommitted changes"
        : "is clean";
  return `- Story ${id} ${WHAT[state] ?? `is ${state}`}. Its worktree at ${JSON.stringify(worktree)} ${tree}. ${next(id, state)}`;
}

const WHAT: Partial<Record<StoryState, string>> = {
  interrupted: "was in flight when its worker ended",
  failed: "failed",
  blocked: "asks a question",
  review: "is finished and waits for a review",
};

const next = (id: string, state: StoryState): string => {
  switch (state) {
    case "blocked":
      return `Answer: \`saga resolve ${id}\`.`;
    case "review":
      return `Look: \`saga show ${id}\`, \`/saga:review-story ${id}\`.`;
    default:
      return `Resume: \`saga run ${id}\`; look first: \`saga show ${id}\`.`;
  }
};

function shortened(text: string, end: string): string {
  return text.length <= MAX_LENGTH ? text : `${text.slice(0, MAX_LENGTH - end.length)}${end}`;
}
