// Where a session stands: in which project, in which of its checkouts, and on which story. Found from
// any folder below, in every layout that worktrees have had, without reading a file.

import { realpathSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Environment } from "../../machine/processes/environment.ts";
import { ifThere, readText } from "../../machine/files/files.ts";
import { storyOfEnvironment, storyOfWorktree } from "../../story/definition/names.ts";
import { isWorktree } from "../project/layout.ts";

export interface SessionLocation {
  /** The main checkout, with `.saga` inside. */
  readonly project: string;
  /** The top of the checkout that was asked from: a story's worktree, or the project itself. */
  readonly checkout: string;
  readonly context: "main" | "story-worktree";
  readonly storyId?: string | undefined;
}

/**
 * Nothing outside of Saga projects. The place says more than the environment, which may be left over
 * from another session: that only names the story where the place does not.
 */
export function surroundingsOf(from: string, env: Environment): SessionLocation | undefined {
  const folder = ifThere(() => realpathSync.native(from));
  if (folder === undefined) return undefined;
  const place = nearestWorktree(folder) ?? linkedWorktree(folder) ?? nearestProject(folder);
  if (place === undefined || place.storyId !== undefined) return place;
  return { ...place, storyId: storyOfEnvironment(env) };
}

const WORKTREES = "/.saga/worktrees/";

/** A project inside a worktree, a test's fixture say, does not take anyone out of the story. */
function nearestWorktree(folder: string): SessionLocation | undefined {
  for (const checkout of upwards(folder)) {
    const at = checkout.lastIndexOf(WORKTREES);
    // One at the top of the disk would be in no project, and further up there are none.
    if (at <= 0) return undefined;
    const project = checkout.slice(0, at);
    const storyId = storyOfWorktree(checkout.slice(at));
    if (storyId === undefined || !isWorktree(checkout) || !hasSaga(project)) continue;
    return { project, checkout, context: "story-worktree", storyId };
  }
  return undefined;
}

/** Where `.saga` is a link, a worktree lies elsewhere: git knows which project it belongs to. */
function linkedWorktree(folder: string): SessionLocation | undefined {
  for (const checkout of upwards(folder)) {
    if (!isWorktree(checkout)) continue;
    const gitDir = /^gitdir: (?<path>.+)$/m.exec(readText(join(checkout, ".git")));
    // `<project>/.git/worktrees/<name>`
    const project = dirname(dirname(dirname(resolve(checkout, gitDir?.groups?.["path"] ?? "."))));
    if (!hasSaga(project)) continue;
    const saga = realpathSync.native(join(project, ".saga"));
    const inside = checkout.startsWith(`${saga}/`) ? checkout.slice(saga.length) : "";
    const storyId = storyOfWorktree(`.saga${inside}`);
    if (storyId !== undefined) return { project, checkout, context: "story-worktree", storyId };
  }
  return undefined;
}

function nearestProject(folder: string): SessionLocation | undefined {
  const project = upwards(folder).find(hasSaga);
  return project === undefined ? undefined : { project, checkout: project, context: "main" };
}

/** Without an exception where there is none: a hook script that starts pays dearly for each. */
function hasSaga(folder: string): boolean {
  try {
    return statSync(`${folder}/.saga`, { throwIfNoEntry: false })?.isDirectory() ?? false;
  } catch {
    // A link that leads in a circle, or a folder that nobody may look into: none of ours.
    return false;
  }
}

function upwards(folder: string): string[] {
  const names = folder.split("/");
  return names.map((_, at) => names.slice(0, names.length - at).join("/") || "/");
}
