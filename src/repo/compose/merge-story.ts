// A story and its target merged in git's object store, where the story's own files do not conflict: they
// are merged field by field. No agent may change them, and with conflict marks in them the story could not be read.

import { answerOf, type Git } from "../../machine/programs/git.ts";
import { mergeFields } from "../../story/definition/merge-fields.ts";
import { amendTree } from "../commits/amend-tree.ts";
import { mergeTips, type MergedTips } from "../merge-tips.ts";
import { storyFolder } from "../worktree/bring-story.ts";
import { sharedCommit } from "../refs.ts";

export interface TipsToMerge {
  /** The target. */
  readonly ours: string;
  /** The story. */
  readonly theirs: string;
  /** Whose files are merged by their fields. */
  readonly storyIds: readonly string[];
}

export interface MergedStory {
  readonly merged: MergedTips;
  /** The text of each file that was merged field by field. */
  readonly texts: ReadonlyMap<string, string>;
}

export async function mergeStory(git: Git, tips: TipsToMerge): Promise<MergedStory> {
  const merged = await mergeTips(git, tips.ours, tips.theirs);
  if (merged.kind === "clean") return { merged, texts: new Map() };
  const folders = tips.storyIds.map((id) => `${storyFolder(id)}/`);
  const texts = new Map<string, string>();
  for (const { path, isInOurs, isInTheirs } of merged.files) {
    const isOwn = path.endsWith(".json") && folders.some((folder) => path.startsWith(folder));
    if (!isOwn || !isInOurs || !isInTheirs) continue;
    const text = mergeFields({
      base: await readText(git, await startOf(git, tips, path), path),
      target: await readText(git, tips.ours, path),
      story: await readText(git, tips.theirs, path),
    });
    if (text !== undefined) texts.set(path, text);
  }
  if (texts.size === 0) return { merged, texts };
  const tree = await amendTree(git, merged.tree, () => Promise.resolve(texts));
  const files = merged.files.filter(({ path }) => !texts.has(path));
  const kind = files.length === 0 ? "clean" : "conflict";
  return { merged: kind === "clean" ? { kind, tree } : { kind, tree, files }, texts };
}

/** The commit that both have, or the story's first one with the file: a plan may be committed late. */
async function startOf(git: Git, { ours, theirs }: TipsToMerge, path: string): Promise<string> {
  const shared = await sharedCommit(git, ours, theirs);
  if (shared && (await answerOf(git, ["cat-file", "-e", `${shared}:${path}`])).isOk) return shared;
  const range = [theirs, `^${ours}`, "--", `:(top,literal)${path}`];
  const [first] = (await git.ask(["rev-list", "--reverse", "--topo-order", ...range])).split("\n");
  return first || theirs;
}

const readText = async (git: Git, commit: string, path: string): Promise<string> =>
  (await answerOf(git, ["cat-file", "blob", `${commit}:${path}`])).stdout;
