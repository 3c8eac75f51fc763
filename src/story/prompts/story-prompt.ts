// The prompt of an agent run on a story.

import { gateRules, type GateFacts } from "./gate-rules.ts";
import { entryText, promptNotes } from "./person-notes.ts";
import type { Journal } from "../definition/journal.ts";
import { DEFAULT_TEMPLATE, renderTemplate } from "./prompt-template.ts";
import type { Story } from "../definition/story.ts";

interface PromptOptions {
  /** A project's own template. */
  readonly template?: string | undefined;
  /** The facts for the rules of the gate. */
  readonly gate?: GateFacts | undefined;
}

export const headlessPrompt = (
  story: Story,
  journal?: Journal,
  { template = DEFAULT_TEMPLATE, gate }: PromptOptions = {},
): string =>
  renderTemplate(template, {
    storyId: story.id,
    title: story.title,
    description: story.description,
    guidance: story.guidance,
    doneWhen: story.doneWhen,
    avoid: story.avoid,
    answers: journal && answers(journal),
    feedback: journal && feedback(journal),
    notes: journal && promptNotes(journal),
    rules: [CONDUCT.join("\n"), ...(gate ? [gateRules(gate)] : [])].join("\n\n"),
  });

type DescribedField = "description" | "guidance" | "doneWhen" | "avoid";

/** What the story asks for, as paragraphs, for agents and for a person's session. */
export const aboutStory = (story: Pick<Story, DescribedField>): string[] =>
  [
    story.description,
    field("Guidance", story.guidance),
    field("Done when", story.doneWhen),
    field("Avoid", story.avoid),
  ].filter((part) => part !== undefined);

/** Joined where it is used: the plugin's scripts import this file, and carry what is computed while it loads. */
const CONDUCT = [
  "Work on the tasks in the order of their dependencies: set one to in_progress, do all of its work, set it to completed, then read the list again. Each completed task is committed for you: do not commit, push or switch branches yourself.",
  "Work in this folder only. Record decisions that others should know about, and whatever you did differently than asked, with the journal tool. When only a person can decide how to continue, ask with report_blocker and end your turn; never guess.",
  "You are done when TaskList shows every task completed.",
];

/** Questions that stopped an earlier run, with a person's answers. */
function answers({ entries }: Journal): string | undefined {
  const resolutions = entries.filter(({ kind }) => kind === "resolution");
  const parts = resolutions.map((resolution) => {
    const question = entries.find(
      ({ kind, blocker }) => kind === "blocker" && blocker === resolution.blocker,
    );
    return `- ${entryText(question)}\n  Answer: ${entryText(resolution)}`;
  });
  return parts.length === 0
    ? undefined
    : ["Questions that came up earlier, and the answers to them:", ...parts].join("\n");
}

/** What a person wants changed in the finished work. */
export function feedback({ entries }: Journal): string | undefined {
  const parts = entries
    .filter(({ kind }) => kind === "feedback")
    .map((entry) => `- ${entryText(entry)}`);
  return parts.length === 0
    ? undefined
    : ["A person reviewed the finished work and wants changes:", ...parts].join("\n");
}

const field = (name: string, text: string | undefined): string | undefined =>
  text === undefined || text.trim() === "" ? undefined : `${name}: ${text}`;
