// Groups the stories of the board into lanes, each with all columns. Pure.

import type { Entities, StoryCard } from "../../protocol/messages.ts";
import { COLUMNS, columnOf, sortColumn, type Column } from "./columns.ts";

export const GROUPINGS = ["none", "epic", "label", "priority"] as const;
export type Grouping = (typeof GROUPINGS)[number];

export const readGrouping = (text: string | null): Grouping =>
  GROUPINGS.find((one) => one === text) ?? "none";

export interface BoardLane {
  readonly key: string;
  /** Undefined if there is only one. */
  readonly title?: string | undefined;
  readonly href?: string | undefined;
  /** Ids of stories, in order. */
  readonly columns: Readonly<Record<Column, readonly string[]>>;
}

/** A story with several labels is in the lane of each. The lane without a group comes last. */
export function lanesOf(
  { stories, epics }: Pick<Entities, "stories" | "epics">,
  by: Grouping,
): readonly BoardLane[] {
  const groups = new Map<string, StoryCard[]>();
  for (const story of Object.values(stories)) {
    if (columnOf(story) === undefined) continue;
    for (const key of groupsOf(story, by)) groups.set(key, [...(groups.get(key) ?? []), story]);
  }
  return [...groups]
    .toSorted(([one], [other]) =>
      one === NO_GROUP ? 1 : other === NO_GROUP ? -1 : one < other ? -1 : 1,
    )
    .map(([key, members]) => ({ key, ...headOf(key, by, epics), columns: columnsOf(members) }));
}

const NO_GROUP = "";

function groupsOf({ epic, labels, priority }: StoryCard, by: Grouping): readonly string[] {
  switch (by) {
    case "none":
      return [NO_GROUP];
    case "epic":
      return [epic ?? NO_GROUP];
    case "label":
      return labels.length === 0 ? [NO_GROUP] : labels;
    case "priority":
      return [priority === undefined ? NO_GROUP : String(priority)];
  }
}

function headOf(
  key: string,
  by: Grouping,
  epics: Entities["epics"],
): Pick<BoardLane, "title" | "href"> {
  switch (by) {
    case "none":
      return {};
    case "epic":
      return key === NO_GROUP
        ? { title: "Without an epic" }
        : { title: epics[key]?.title ?? key, href: `/epic/${key}` };
    case "label":
      return { title: key === NO_GROUP ? "Without a label" : key };
    case "priority":
      return { title: key === NO_GROUP ? "Without a priority" : `Priority ${key}` };
  }
}

function columnsOf(stories: readonly StoryCard[]): BoardLane["columns"] {
  const inColumn = (column: Column): string[] =>
    sortColumn(
      column,
      stories.filter((story) => columnOf(story) === column),
    ).map(({ id }) => id);
  return Object.fromEntries(COLUMNS.map((column) => [column, inColumn(column)])) as Record<
    Column,
    string[]
  >;
}

/** How many stories are in each column, over all lanes. A story in two lanes counts once. */
export const columnCounts = (lanes: readonly BoardLane[]): Readonly<Record<Column, number>> =>
  Object.fromEntries(
    COLUMNS.map((column) => [
      column,
      new Set(lanes.flatMap(({ columns }) => columns[column])).size,
    ]),
  ) as Record<Column, number>;
