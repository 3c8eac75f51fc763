// The tasks that the commits of a story name in their trailers. What a commit contains never changes, so a commit that
// was read once in this process is not read again: only those on top of it are.

import { decodeBytes } from "../../machine/files/raw-bytes.ts";
import type { Git } from "../../machine/programs/git.ts";
import { readObjects } from "../../machine/programs/object-reader.ts";

export interface TrailerQuery {
  readonly storyId: string;
  /** The commit before the story's own. */
  readonly from: string;
  readonly tip: string;
}

/** By range and story. */
const known = new Map<string, ReadonlySet<string>>();
const MAX_KNOWN = 1_000;

/** Undefined if it is not known from earlier: then `noteTasks` takes what git's log says. */
export async function knownTasks(
  git: Git,
  query: TrailerQuery,
): Promise<ReadonlySet<string> | undefined> {
  if (query.tip === query.from) return new Set();
  const same = known.get(keyOf(query));
  if (same !== undefined) return same;
  const [commit] = await readObjects(git, [query.tip]);
  const own = commit && parseCommit(decodeBytes(commit.content));
  const before = own && (await earlierTasks(query, own.parent));
  if (own === undefined || before === undefined) return undefined;
  const tasks = own.stories.includes(query.storyId) ? [...before, ...own.tasks] : before;
  return noteTasks(query, new Set(tasks));
}

const earlierTasks = async (
  query: TrailerQuery,
  parent: string,
): Promise<ReadonlySet<string> | undefined> =>
  parent === query.from ? new Set() : known.get(keyOf({ ...query, tip: parent }));

export function noteTasks(query: TrailerQuery, tasks: ReadonlySet<string>): ReadonlySet<string> {
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(keyOf(query), tasks);
  return tasks;
}

const keyOf = ({ storyId, from, tip }: TrailerQuery): string => `${storyId} ${from} ${tip}`;

interface ParsedCommit {
  readonly parent: string;
  readonly stories: readonly string[];
  readonly tasks: readonly string[];
}

/** Only of a commit with one parent, and a message that ends like Saga's own. Git reads the others. */
export function parseCommit(text: string): ParsedCommit | undefined {
  const end = text.indexOf("\n\n");
  const parents = text
    .slice(0, end)
    .split("\n")
    .flatMap((line) => (line.startsWith("parent ") ? [line.slice("parent ".length)] : []));
  const trailers = OWN_TRAILERS.exec(text.slice(end))?.groups?.["trailers"];
  const [parent, ...others] = parents;
  if (parent === undefined || others.length > 0 || trailers === undefined) return undefined;
  const valuesOf = (key: string): string[] =>
    trailers
      .split("\n")
      .flatMap((line) => (line.startsWith(`${key}: `) ? [line.slice(key.length + 2)] : []));
  return { parent, stories: valuesOf("Saga-Story"), tasks: valuesOf("Saga-Task") };
}

/** A last paragraph of such lines and no others, after a subject. */
const OWN_TRAILERS =
  /^\n\n[^\n][^]*?\n\n(?<trailers>(?:Saga-(?:Story|Task|Task-Part): [a-z0-9-]+\n)+)$/;
