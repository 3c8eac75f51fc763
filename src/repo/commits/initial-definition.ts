// A story as people gave it, before any agent came near its files: from git, which nobody edits by
// accident. For whoever judges what has become of it.

import type { Git } from "../../machine/programs/git.ts";
import { parseJson } from "../../text/parse-json.ts";
import { storySchema } from "../../story/definition/story.ts";
import { taskSchema } from "../../story/definition/task.ts";
import type { GateDefinition } from "../../story/receipts/weakened-definition.ts";
import { readBlobs } from "../diff/blobs.ts";
import { storyFolder } from "../worktree/bring-story.ts";

export interface DefinitionRange {
  readonly storyId: string;
  /** Where the story's own work begins, and where it has come to. */
  readonly from: string;
  readonly tip: string;
  /** The commit that it was started with, when that is known for certain. */
  readonly start: string | undefined;
}

/**
 * The target's version and the one that it was started with, as far as there are such; else that of the
 * first commit on its branch that has one. None where the project keeps `.saga` out of git.
 */
export async function readInitialDefinitions(
  git: Git,
  { storyId, from, tip, start }: DefinitionRange,
): Promise<readonly GateDefinition[]> {
  const given = [
    await definitionAt(git, from, storyId),
    start === undefined ? undefined : await definitionAt(git, start, storyId),
  ].filter((version) => version !== undefined);
  if (given.length > 0) return given;
  const file = `:(top,literal)${storyFolder(storyId)}/story.json`;
  const range = ["--first-parent", "--reverse", `${from}..${tip}`];
  const commits = await git.ask(["rev-list", ...range, "--", file]);
  for (const commit of commits.split("\n").filter((line) => line !== "")) {
    const first = await definitionAt(git, commit, storyId);
    if (first) return [first];
  }
  return [];
}

async function definitionAt(
  git: Git,
  commit: string,
  storyId: string,
): Promise<GateDefinition | undefined> {
  const place = `${commit}:${storyFolder(storyId)}`;
  const { isOk, stdout } = await git.attempt(["ls-tree", "-z", place]);
  const ids = new Map(isOk ? stdout.split("\0").flatMap(jsonFile) : []);
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

/** `100644 blob <id>\t<name>`, as the reader of a story's folder picks them. */
function jsonFile(entry: string): [name: string, id: string][] {
  const [about = "", name = ""] = entry.split("\t");
  const [, kind, id = ""] = about.split(" ");
  return kind === "blob" && /^[^.].*\.json$/.test(name) ? [[name, id]] : [];
}
