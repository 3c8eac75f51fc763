// Stories that another machine merged. The target itself shows it: its copy of the story is completed. What this clone had
// of the story stays reachable from the record of the merge.

import { readObjects } from "../../machine/programs/object-reader.ts";
import { storyBranch } from "../../story/definition/names.ts";
import { parseJson } from "../../text/parse-json.ts";
import { readDeliveries, recordArrival } from "../records/delivery-record.ts";
import { commitOf, isAncestor } from "../refs.ts";
import type { Repository } from "../repository.ts";

/** Those whose copy in the commit is completed. */
export async function completedIn(
  { git }: Repository,
  commit: string,
  storyIds: readonly string[],
): Promise<string[]> {
  const files = await readObjects(
    git,
    storyIds.map((id) => `${commit}:.saga/stories/${id}/story.json`),
  );
  return storyIds.filter((_, at) => {
    const story = parseJson(files[at]?.content.toString() ?? "") as
      | { status?: unknown }
      | undefined;
    return story?.status === "completed";
  });
}

/** The commit that completed the story in a branch, given the branch's tip. */
export const completingCommit = (
  { git }: Repository,
  tip: string,
  storyId: string,
): Promise<string> =>
  git.ask(["log", "-1", "--format=%H", tip, "--", `.saga/stories/${storyId}/story.json`]);

export interface MergeElsewhere {
  readonly storyId: string;
  /** The branch that it was merged into, with its commit. */
  readonly target: string;
  readonly tip: string;
  /** The commit that completed it there. */
  readonly commit: string;
}

/**
 * Repeating it changes nothing. `newer-work-here`: the branch of this clone started from the completed story and has more
 * commits, so a person has reopened it.
 */
export async function recordMergeElsewhere(
  { git }: Repository,
  { storyId, target, tip: targetTip, commit }: MergeElsewhere,
): Promise<"recorded" | "newer-work-here"> {
  const { done } = await readDeliveries(git, storyId);
  const own = await commitOf(git, `refs/heads/${storyBranch(storyId)}`);
  if (own && !(await isAncestor(git, own, targetTip)) && (await isAncestor(git, commit, own))) {
    return "newer-work-here";
  }
  if (done?.commit === commit && (own === undefined || done.tip === own)) return "recorded";
  const onto = (await commitOf(git, `${commit}^1`)) ?? commit;
  await recordArrival(git, { storyId, target, tip: own ?? commit, onto, commit });
  return "recorded";
}
