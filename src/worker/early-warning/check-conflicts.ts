// One look at what a story would conflict with: merges it in memory with its target and with every other story whose
// work is not merged, as far as either has changed since, and records the result. It can be killed and repeated anywhere.

import { objectInfo } from "../../machine/programs/object-reader.ts";
import { changedPaths } from "../../repo/early-warning/changed-paths.ts";
import { tryMerges } from "../../repo/early-warning/try-merges.ts";
import { isRecentAncestor } from "../../repo/refs.ts";
import type { Repository } from "../../repo/repository.ts";
import { findStart } from "../../repo/story-range.ts";
import type { OpenWorks } from "../../store/early-warning/open-works.ts";
import { storyBranch } from "../../story/definition/names.ts";
import {
  conflictsAhead,
  conflictsOf,
  type ConflictAhead,
} from "../../story/early-warning/conflicts-ahead.ts";
import { mergesToTry, type OwnWork } from "../../story/early-warning/merges-to-try.ts";
import type { OpenWork, TriedMerge } from "../../story/early-warning/open-work.ts";
import { conflictsOfBoth } from "../../story/early-warning/can-conflict.ts";

export interface LookRequest {
  readonly repository: Pick<Repository, "git" | "commonDir">;
  readonly openWorks: OpenWorks;
  readonly story: { readonly id: string; readonly title: string; readonly description: string };
  /** The branch that it goes into, and the refs that have it: the first that exists counts. */
  readonly target: { readonly branch: string; readonly refs: readonly string[] };
  /** Whether a story still has work that is not merged. */
  readonly isOpen: (storyId: string) => Promise<boolean>;
  readonly now: () => number;
}

export interface ConflictCheck {
  /** Those of this story. */
  readonly conflicts: readonly ConflictAhead[];
  readonly works: readonly OpenWork[];
}

const MAX_INTENT = 500;

export async function checkConflicts(request: LookRequest): Promise<ConflictCheck> {
  const { repository, openWorks, story, now } = request;
  const all = await openWorks.list();
  const before = all.find((work) => work.story === story.id);
  const others = all.filter((work) => work !== before);
  const own = await readOwn(request, before);
  if (own === undefined) return { conflicts: [], works: all };
  const plan = mergesToTry(own, before, others);
  const results = await tryMerges(repository, {
    storyId: story.id,
    ours: own.tip,
    theirs: plan.try.map(({ commit }) => commit),
  });
  const at = new Date(now()).toISOString();
  const merges = [...plan.known];
  const ended = new Set<string>();
  for (const [index, merge] of plan.try.entries()) {
    const found = results[index];
    if (found === undefined) continue;
    const other = others.find((work) => work.story === merge.name);
    const isStory = merge.kind === "story" && other !== undefined;
    const files = isStory ? conflictsOfBoth(found, own.changes, other.changes) : [...found];
    // Its record was left when the story was merged or discarded.
    if (isStory && files.length > 0 && !(await request.isOpen(merge.name))) ended.add(merge.name);
    else merges.push({ ...merge, files, since: sinceWhen(before, { ...merge, files }) ?? at });
  }
  for (const name of ended) await openWorks.drop(name);
  const record: OpenWork = {
    story: story.id,
    title: story.title,
    intent: story.description.slice(0, MAX_INTENT),
    target: request.target.branch,
    tip: own.tip,
    changes: own.changes,
    merges,
    at,
  };
  if (!isSameRecord(before, record)) await openWorks.write(record);
  const works = [...others.filter((work) => !ended.has(work.story)), record];
  return { conflicts: conflictsOf(conflictsAhead(works), story.id), works };
}

/** Undefined while the story has no branch. */
async function readOwn(
  { repository: { git }, story, target }: LookRequest,
  before: OpenWork | undefined,
): Promise<OwnWork | undefined> {
  const names = [`refs/heads/${storyBranch(story.id)}`, ...target.refs];
  const [own, ...copies] = await objectInfo(
    git,
    names.map((name) => `${name}^{commit}`),
  );
  const commits = copies.flatMap((copy) => copy?.id ?? []);
  const [commit] = commits;
  if (own === undefined || commit === undefined) return undefined;
  const tip = own.id;
  const start = (): Promise<string | undefined> =>
    findStart(git, { base: { commit, copies: commits }, tip });
  const changes =
    before?.tip === tip ? before.changes : await changedPaths(git, await start(), tip);
  // A merge with a commit that the story contains changes nothing.
  const isContained = await isRecentAncestor(git, commit, tip);
  const open = isContained ? undefined : { branch: target.branch, commit };
  return { story: story.id, tip, changes, target: open };
}

function sinceWhen(
  before: OpenWork | undefined,
  { kind, name, files }: Pick<TriedMerge, "kind" | "name" | "files">,
): string | undefined {
  const earlier = before?.merges.find((merge) => merge.kind === kind && merge.name === name);
  const isSame = earlier && earlier.files.length > 0 === files.length > 0;
  return isSame ? earlier.since : undefined;
}

const isSameRecord = (before: OpenWork | undefined, after: OpenWork): boolean =>
  before !== undefined &&
  JSON.stringify({ ...before, at: "" }) === JSON.stringify({ ...after, at: "" });
