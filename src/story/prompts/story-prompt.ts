// What a headless run is told about its story.

import { gateRules, type GateFacts } from "./gate-rules.ts";
import type { Journal } from "../definition/journal.ts";
import { DEFAULT_TEMPLATE, renderTemplate } from "./prompt-template.ts";
import type { Story } from "../definition/story.ts";

interface PromptOptions {
  /** A project's own template; without one it is the default. */
  readonly template?: string | undefined;
  /** What the gate judges by. */
  readonly gate?: GateFacts | undefined;
}

/** Parts without a text are left out. */
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
    rules: [CONDUCT, ...(gate ? [gateRules(gate)] : [])].join("\n\n"),
  });

type DescribedField = "description" | "guidance" | "doneWhen" | "avoid";

/** Paragraphs on what the story asks for, for a worker's agent and for a session of a person's. */
export const aboutStory = (story: Pick<Story, DescribedField>): string[] =>
  [
    story.description,
    field("Guidance", story.guidance),
    field("Done when", story.doneWhen),
    field("Avoid", story.avoid),
  ].filter((part) => part !== undefined);

const CONDUCT = [
  "Take the tasks in the order that their dependencies give: set one to in_progress, do all of its work, set it to completed, then look at the list again. Each completed task is committed for you: do not commit, push or switch branches yourself.",
  "Work in this folder only. Record decisions that others should know about, and whatever you did differently than asked, with the journal tool. When only a person can decide how to go on, ask with report_blocker and end your turn; never guess instead.",
  "You are done when TaskList shows every task completed.",
].join("\n");

/** Questions that stopped an earlier run, with what a person said to them. */
function answers({ entries }: Journal): string | undefined {
  const resolutions = entries.filter(({ kind }) => kind === "resolution");
  const parts = resolutions.map((resolution) => {
    const question = entries.find(
      ({ kind, blocker }) => kind === "blocker" && blocker === resolution.blocker,
    );
    return `- ${whole(question)}\n  Answer: ${whole(resolution)}`;
  });
  return parts.length === 0
    ? undefined
    : ["Questions that came up earlier, and the answers to them:", ...parts].join("\n");
}

/** What a person who looked at the finished work wants otherwise. */
export function feedback({ entries }: Journal): string | undefined {
  const parts = entries
    .filter(({ kind }) => kind === "feedback")
    .map((entry) => `- ${whole(entry)}`);
  return parts.length === 0
    ? undefined
    : ["A person has looked at the finished work and wants it different:", ...parts].join("\n");
}

const whole = (entry: Journal["entries"][number] | undefined): string =>
  [entry?.title, entry?.body]
    .filter(Boolean)
    .join("\n  ")
    .replaceAll(/\n(?! {2})/g, "\n  ");

const field = (name: string, text: string | undefined): string | undefined =>
  text === undefined || text.trim() === "" ? undefined : `${name}: ${text}`;
