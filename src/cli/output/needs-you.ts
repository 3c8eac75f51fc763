// Rows of stories, epics and pool tasks that a person can act on, each with its next command.

import { attentionTo } from "../../store/views/attention.ts";
import type { StoryView } from "../../store/views/overview.ts";
import {
  byAttention,
  shownWord,
  type Attention,
  type AttentionKind,
  type Section,
} from "../../story/state/attention.ts";
import type { StoryState } from "../../story/state/state.ts";
import { plain, short, stateMark, stateName, type Paint } from "./terminal.ts";

/** A story with what a person can do about it. */
export interface AttendedStory {
  readonly view: StoryView;
  readonly attention: Attention;
}

/** The stories that a person can act on, most urgent first. */
export function withAttention(
  views: Iterable<StoryView>,
  weakenedBy: ReadonlyMap<string, readonly string[]> = new Map(),
): AttendedStory[] {
  return [...views]
    .flatMap((view) => {
      const attention = attentionTo(view, weakenedBy.get(view.record.id));
      return attention === undefined ? [] : [{ view, attention }];
    })
    .toSorted((one, other) => byAttention(rankOf(one), rankOf(other)));
}

const rankOf = ({ view, attention }: AttendedStory) => ({
  id: view.record.id,
  kind: attention.kind,
  priority: view.record.story.priority,
});

export const inSection = (all: readonly AttendedStory[], section: Section): AttendedStory[] =>
  all.filter(({ attention }) => attention.section === section);

export interface NeedRow {
  readonly id: string;
  /** Decides the mark and the colour. */
  readonly state: StoryState;
  readonly word: string;
  readonly next: string;
  /** What it asks, or why it failed. */
  readonly about: readonly string[];
}

export const needRow = ({ view, attention }: AttendedStory): NeedRow => ({
  id: view.record.id,
  state: view.state,
  word: shownWord(view.state, attention.kind),
  next: attention.next,
  about: aboutLines(view, attention),
});

/** For other kinds the word says enough. */
const KINDS_WITH_TEXT: ReadonlySet<AttentionKind> = new Set([
  "failed",
  "definition",
  "push-failed",
  "limit",
  "unfinished",
]);

function aboutLines({ openBlockers }: StoryView, { kind, text }: Attention): string[] {
  if (kind === "question") {
    return openBlockers.map(({ blocker, title }) => `${blocker}: ${plain(title)}`);
  }
  return KINDS_WITH_TEXT.has(kind) ? [short(text)] : [];
}

export function needLines(rows: readonly NeedRow[], paint: Paint): string[] {
  const widest = (texts: readonly string[]): number =>
    Math.max(...texts.map(({ length }) => length));
  const idWidth = widest(rows.map(({ id }) => id));
  const wordWidth = widest(rows.map(({ word }) => word));
  return rows.flatMap(({ id, state, word, next, about }) => [
    `  ${stateMark(state, paint)} ${id.padEnd(idWidth)}  ${stateName(state, paint, wordWidth, word)}  ${paint("dim", next)}`,
    ...about.map((line) => `      ${line}`),
  ]);
}
