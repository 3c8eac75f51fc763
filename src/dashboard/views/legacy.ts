// Cards of stories and epics in the old markdown format, shown beside the others.

import { createHash } from "node:crypto";
import type { Problem } from "../../errors.ts";
import type { Layout } from "../../store/project/layout.ts";
import {
  readLegacyProject,
  type LegacyEpic,
  type LegacyStory,
  type Markdown,
} from "../../store/project/legacy-markdown.ts";
import type { Status } from "../../story/definition/status.ts";
import type { CardState, EpicCard, StoryCard, TaskCard } from "../protocol/messages.ts";

export interface LegacyCards {
  readonly stories: readonly LegacyStoryCard[];
  readonly epics: readonly EpicCard[];
  readonly problems: readonly Problem[];
}

export interface LegacyStoryCard {
  readonly card: StoryCard;
  /** The markdown below the front matter. */
  readonly body: string;
}

export function readLegacyCards(at: Layout): LegacyCards {
  const { stories, epics, problems } = readLegacyProject(at);
  return {
    stories: stories.map((story) => ({ card: storyCard(story), body: story.markdown.body })),
    epics: epics.map(epicCard),
    problems,
  };
}

function storyCard({ id, epic, markdown, isArchived }: LegacyStory): StoryCard {
  const tasks = markdown.tasks.map(taskCard);
  return {
    id,
    title: titleOf(markdown) ?? id,
    state: isArchived ? "completed" : stateOf(markdown.fields["status"], tasks),
    epic,
    isBegun: false,
    isLegacy: true,
    ...(isArchived && { isArchived }),
    labels: [],
    tasks,
    waitsFor: [],
    openQuestions: 0,
    costUsd: 0,
    version: versionOf(markdown),
  };
}

const taskCard = (task: Readonly<Record<string, string>>, index: number): TaskCard => ({
  id: task["id"] ?? `t${index + 1}`,
  subject: task["title"] ?? task["subject"] ?? `Task ${index + 1}`,
  status: statusOf(task["status"]),
  blockedBy: [],
});

const epicCard = ({ id, markdown, stories }: LegacyEpic): EpicCard => ({
  id,
  title: (markdown && titleOf(markdown)) ?? id,
  description: markdown?.body,
  status: statusOf(markdown?.fields["status"]),
  isLegacy: true,
  children: stories.map((story) => ({ id: story, blockedBy: [] })),
  isRunning: false,
  version: markdown ? versionOf(markdown) : 0,
});

/** A hash of the content: a change may leave the length as it was. */
const versionOf = (markdown: Markdown): number =>
  createHash("sha1").update(JSON.stringify(markdown)).digest().readUIntBE(0, 6);

const titleOf = ({ fields, body }: Markdown): string | undefined =>
  fields["title"] || /^#\s+(?<title>.+)$/m.exec(body)?.groups?.["title"];

const normalized = (status: string | undefined): string =>
  (status ?? "").toLowerCase().replaceAll(/[-\s]/g, "_");

function statusOf(status: string | undefined): Status {
  switch (normalized(status)) {
    case "completed":
    case "complete":
    case "done":
      return "completed";
    case "in_progress":
    case "active":
      return "in_progress";
    default:
      return "pending";
  }
}

/** By the status in its file or, without one, by its tasks. */
function stateOf(status: string | undefined, tasks: readonly TaskCard[]): CardState {
  if (normalized(status) === "ready") return "ready";
  if (normalized(status) === "blocked") return "blocked";
  switch (statusOf(status)) {
    case "completed":
      return "completed";
    case "in_progress":
      return "in-progress";
    case "pending":
      return !status && tasks.some((task) => task.status !== "pending") ? "in-progress" : "pending";
  }
}
