// Searches stories, tasks, journals and the logs of all runs of a project. The command line and the page use it. It
// reads a bounded amount and says when that was not everything.

import { lineOf } from "../../story/state/event-line.ts";
import { parseJournal } from "../../story/definition/journal.ts";
import { excerpt, matches, parseQuery, type SearchQuery } from "../../story/search/query.ts";
import type { StoryRecord } from "../project/read.ts";
import { layoutOf } from "../project/layout.ts";
import type { Store } from "../store.ts";
import { readMatchingEvents } from "./search-logs.ts";

export const HIT_KINDS = ["epic", "story", "task", "journal", "log"] as const;
export type HitKind = (typeof HIT_KINDS)[number];

export interface SearchHit {
  readonly kind: HitKind;
  /** The story, or a worker of the pool. Undefined for an epic. */
  readonly story?: string;
  readonly epic?: string;
  readonly task?: string;
  readonly run?: string;
  /** When it was written, for entries of a journal and lines of a log. */
  readonly at?: string;
  readonly title: string;
  /** One line with the first word that was found. */
  readonly text: string;
}

export interface SearchResult {
  /** Epics, stories, tasks and journals first, then logs, newest first. */
  readonly hits: readonly SearchHit[];
  /** There are more hits, or logs that were not read. */
  readonly isCut: boolean;
}

export interface SearchOptions {
  readonly maxHits?: number;
  readonly kinds?: readonly HitKind[] | undefined;
  readonly stop?: AbortSignal;
}

const MAX_HITS = 50;

export async function searchProject(
  store: Pick<Store, "project" | "survey">,
  text: string,
  { maxHits = MAX_HITS, kinds = HIT_KINDS, stop }: SearchOptions = {},
): Promise<SearchResult> {
  const query = parseQuery(text);
  if (query.words.length === 0) return { hits: [], isCut: false };
  const wanted = new Set(kinds);
  const { stories } = await store.survey.all();
  const { epics } = await store.survey.epics();
  const found = [
    ...[...epics.values()].flatMap(({ id, title, description }) =>
      hit(query, { kind: "epic", epic: id, title }, [title, id, description]),
    ),
    ...stories.flatMap(({ record }) => (record ? hitsInStory(query, record) : [])),
  ].filter(({ kind }) => wanted.has(kind));
  const defined = found.toSorted((one, other) => rankOf(one) - rankOf(other)).slice(0, maxHits + 1);
  const left = maxHits + 1 - defined.length;
  const logs = left > 0 && wanted.has("log") ? logHits(store.project, query, left, stop) : NO_LOGS;
  const hits = [...defined, ...logs.hits];
  return { hits: hits.slice(0, maxHits), isCut: hits.length > maxHits || logs.isCut };
}

const NO_LOGS: SearchResult = { hits: [], isCut: false };

const rankOf = ({ kind }: SearchHit): number => HIT_KINDS.indexOf(kind);

function hitsInStory(query: SearchQuery, record: StoryRecord): SearchHit[] {
  const { id, story, tasks, journal = "" } = record;
  const own = hit(query, { kind: "story", story: id, title: story.title }, [
    story.title,
    id,
    story.description,
    story.guidance,
    story.doneWhen,
    story.avoid,
    ...(story.labels ?? []),
  ]);
  const inTasks = tasks.flatMap((task) =>
    hit(query, { kind: "task", story: id, task: task.id, title: task.subject }, [
      task.subject,
      task.id,
      task.description,
      task.guidance,
      task.doneWhen,
    ]),
  );
  const inJournal = parseJournal(journal).entries.flatMap(({ kind, at, title, body }) =>
    // Receipts are data, and their checks are in the logs.
    kind === "receipt"
      ? []
      : hit(query, { kind: "journal", story: id, at, title: `${kind}: ${title}` }, [title, body]),
  );
  return [...own, ...inTasks, ...inJournal];
}

function hit(
  query: SearchQuery,
  about: Omit<SearchHit, "text">,
  fields: readonly (string | undefined)[],
): SearchHit[] {
  if (!matches(query, fields)) return [];
  return [{ ...about, text: excerpt(query, fields) ?? about.title }];
}

function logHits(
  project: string,
  query: SearchQuery,
  max: number,
  stop: AbortSignal | undefined,
): SearchResult {
  const hits: SearchHit[] = [];
  const reader = readMatchingEvents(layoutOf(project), query, stop);
  for (;;) {
    const next = reader.next();
    if (next.done) return { hits, isCut: next.value.isCut };
    const { story, run, event } = next.value;
    const line = lineOf(event);
    const text = line && `${line.head} ${line.text}`;
    if (text === undefined || !matches(query, [text])) continue;
    const title = `${story} ${run}`;
    hits.push({ kind: "log", story, run, at: event.at, title, text: excerpt(query, [text]) ?? "" });
    if (hits.length >= max) return { hits, isCut: false };
  }
}
