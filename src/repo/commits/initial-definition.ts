// Reads a story as people wrote it, before an agent could change its files: from commits in git. The gate compares the
// story with it.

import type { Git } from "../../machine/programs/git.ts";
import { readObjects } from "../../machine/programs/object-reader.ts";
import { parseJson } from "../../text/parse-json.ts";
import { storySchema } from "../../story/definition/story.ts";
import { taskSchema } from "../../story/definition/task.ts";
import { definitionText, type EditedDefinition } from "../../story/receipts/definition-text.ts";
import type { GateDefinition } from "../../story/receipts/weakened-definition.ts";
import { readBlobs } from "../diff/blobs.ts";
import { commitOf, isAncestor } from "../refs.ts";
import { treeEntries, type TreeEntry } from "../../machine/programs/tree-entries.ts";
import { storyFolder } from "../worktree/bring-story.ts";

export interface DefinitionRange {
  readonly storyId: string;
  /** The commit before the story's own work, and its last commit. */
  readonly from: string;
  readonly tip: string;
  /** The commit that the story was started with, if it is known for certain. */
  readonly start: string | undefined;
  /** The story since a person's last edit, if it is known for certain. */
  readonly edited: EditedDefinition | undefined;
}

/**
 * The version that the story was started with or last edited to, and the target's if people have changed it there since;
 * otherwise the version of the first commit on its branch that has one. Empty if the project ignores `.saga`.
 */
export async function readInitialDefinitions(
  git: Git,
  range: DefinitionRange,
): Promise<readonly GateDefinition[]> {
  const { storyId, from, tip } = range;
  const given = await lastGiven(git, range);
  const target = await definitionAt(git, from, storyId);
  const isOwn = target && given && (await isReplaced(git, { storyId, from, target, given }));
  const versions = [isOwn ? undefined : target, given?.definition].filter(
    (version) => version !== undefined,
  );
  if (versions.length > 0) return versions;
  const file = `:(top,literal)${storyFolder(storyId)}/story.json`;
  const branch = ["--first-parent", "--reverse", `${from}..${tip}`];
  const commits = await git.ask(["rev-list", ...branch, "--", file]);
  for (const commit of commits.split("\n").filter((line) => line !== "")) {
    const first = await definitionAt(git, commit, storyId);
    if (first) return [first];
  }
  return [];
}

/** What people gave last: their edit, or the version at the start. */
async function lastGiven(
  git: Git,
  { storyId, start, edited }: DefinitionRange,
): Promise<EditedDefinition | undefined> {
  if (edited !== undefined || start === undefined) return edited;
  const definition = await definitionAt(git, start, storyId);
  return definition && { definition, from: `${start}^` };
}

interface TargetVersion {
  readonly storyId: string;
  readonly from: string;
  readonly target: GateDefinition;
  readonly given: EditedDefinition;
}

/**
 * Whether the target's version is the one that people have replaced. Otherwise an agent could remove the check that they
 * added: the target does not have it. A branch that was moved to an older commit of the target has an older version.
 */
async function isReplaced(
  git: Git,
  { storyId, from, target, given }: TargetVersion,
): Promise<boolean> {
  if (given.from === undefined) return false;
  const start = await commitOf(git, given.from);
  if (start === undefined || !(await isAncestor(git, start, from))) return true;
  const before = await definitionAt(git, start, storyId);
  return before !== undefined && definitionText(before) === definitionText(target);
}

async function definitionAt(
  git: Git,
  commit: string,
  storyId: string,
): Promise<GateDefinition | undefined> {
  const [folder] = await readObjects(git, [`${commit}:${storyFolder(storyId)}`]);
  const entries = folder?.type === "tree" ? treeEntries(folder) : [];
  const ids = new Map(entries.filter(isJsonFile).map(({ name, id }) => [name, id]));
  const contents = await readBlobs(git, [...ids.values()]);
  const fieldsOf = (name: string): unknown => parseJson(contents.get(ids.get(name) ?? "") ?? "");
  const story = storySchema.safeParse(fieldsOf(STORY)).data;
  if (!story) return undefined;
  const tasks = [...ids.keys()]
    .filter((name) => name !== STORY)
    .flatMap((name) => taskSchema.safeParse(fieldsOf(name)).data ?? []);
  return { story, tasks };
}

const STORY = "story.json";

/** Selects names like the reader of a story's folder does. */
const isJsonFile = ({ mode, name }: TreeEntry): boolean =>
  /^1[02]0/.test(mode) && /^[^.].*\.json$/.test(name);
