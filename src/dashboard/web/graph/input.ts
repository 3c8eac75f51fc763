// Converts cards to nodes and edges. Pure; the layout is computed elsewhere, only when the graph is shown.

import type { Entities, EpicCard, StoryCard } from "../../protocol/messages.ts";
import { MISSING_LOOK, TASK_LOOKS, taskStatesOf, type Look } from "../words/states.ts";
import { storyLook } from "../words/story-look.ts";

export interface GraphNode {
  readonly id: string;
  readonly title: string;
  /** The id, without the prefix of its epic. */
  readonly name: string;
  readonly look: Look;
  readonly href?: string;
  /** Completed tasks and all tasks. */
  readonly progress?: readonly [number, number];
}

export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  /** The dependency is completed. */
  readonly isOpen: boolean;
}

export interface GraphInput {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}

export function epicGraph(epic: EpicCard, entities: Entities): GraphInput {
  const nodes = epic.children.map(({ id }) => storyNode(id, epic.id, entities.stories[id]));
  const isDone = (id: string): boolean => entities.stories[id]?.state === "completed";
  return { nodes, edges: edgesOf(epic.children, isDone) };
}

export function taskGraph(story: StoryCard): GraphInput {
  const states = taskStatesOf(story);
  return {
    nodes: story.tasks.map(({ id, subject }) => ({
      id,
      title: subject,
      name: id,
      look: TASK_LOOKS[states.get(id) ?? "waiting"],
    })),
    edges: edgesOf(story.tasks, (id) => states.get(id) === "completed"),
  };
}

/** A missing or invalid story still gets a node. */
function storyNode(id: string, epic: string, story: StoryCard | undefined): GraphNode {
  const name = id.startsWith(`${epic}--`) ? id.slice(epic.length + 2) : id;
  const href = `/story/${id}`;
  if (story === undefined) return { id, name, href, title: "Not found", look: MISSING_LOOK };
  const done = story.tasks.filter(({ status }) => status === "completed").length;
  return {
    id,
    name,
    href,
    title: story.title,
    look: storyLook(story),
    progress: [done, story.tasks.length],
  };
}

/** Only between existing nodes: a file may name a missing one. */
function edgesOf(
  links: readonly { readonly id: string; readonly blockedBy: readonly string[] }[],
  isDone: (id: string) => boolean,
): GraphEdge[] {
  const known = new Set(links.map(({ id }) => id));
  return links.flatMap(({ id, blockedBy }) =>
    [...new Set(blockedBy)]
      .filter((from) => known.has(from) && from !== id)
      .map((from) => ({ from, to: id, isOpen: isDone(from) })),
  );
}

/** The graph is redrawn only if something visible changed. */
export const isSameGraph = (one: GraphInput | undefined, other: GraphInput | undefined): boolean =>
  JSON.stringify(one) === JSON.stringify(other);
