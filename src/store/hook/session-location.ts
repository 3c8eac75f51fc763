// Which project, checkout and story a Claude Code session is in. Works from any subfolder and in every worktree
// layout.

import { realpathSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Environment } from "../../machine/processes/environment.ts";
import { ifThere, readText } from "../../machine/files/files.ts";
import { gitDirIn } from "../../machine/programs/common-dir.ts";
import { storyOfEnvironment, storyOfWorktree } from "../../story/definition/names.ts";
import { isWorktree } from "../project/layout.ts";

export interface SessionLocation {
  /** The main checkout, which contains `.saga`. */
  readonly project: string;
  /** The top of the session's checkout: a story's worktree, or the project itself. */
  readonly checkout: string;
  readonly context: "main" | "story-worktree";
  readonly storyId?: string | undefined;
}

/**
 * Undefined outside of Saga projects. The folder takes precedence over the environment, which may come from another
 * session and only names the story where the folder does not.
 */
export function sessionLocation(from: string, env: Environment): SessionLocation | undefined {
  const folder = ifThere(() => realpathSync.native(from));
  if (folder === undefined) return undefined;
  const place = nearestWorktree(folder) ?? linkedWorktree(folder) ?? nearestProject(folder);
  if (place === undefined || place.storyId !== undefined) return place;
  return { ...place, storyId: storyOfEnvironment(env) };
}

const WORKTREES = "/.saga/worktrees/";

/** A project inside a worktree, such as a test fixture, still belongs to the worktree's story. */
function nearestWorktree(folder: string): SessionLocation | undefined {
  for (const checkout of upwards(folder)) {
    const at = checkout.lastIndexOf(WORKTREES);
    // At 0 there is no project above; further up there are no worktrees.
    if (at <= 0) return undefined;
    const project = checkout.slice(0, at);
    const storyId = storyOfWorktree(checkout.slice(at));
    if (storyId === undefined || !isWorktree(checkout) || !hasSaga(project)) continue;
    return { project, checkout, context: "story-worktree", storyId };
  }
  return undefined;
}

/** If `.saga` is a link, its worktrees are elsewhere: git knows which project they belong to. */
function linkedWorktree(folder: string): SessionLocation | undefined {
  for (const checkout of upwards(folder)) {
    if (!isWorktree(checkout)) continue;
    const gitDir = gitDirIn(readText(join(checkout, ".git"))) ?? ".";
    // `<project>/.git/worktrees/<name>`
    const project = dirname(dirname(dirname(resolve(checkout, gitDir))));
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

/** Avoids an exception when it is missing: each one is expensive for a hook script. */
function hasSaga(folder: string): boolean {
  try {
    return statSync(`${folder}/.saga`, { throwIfNoEntry: false })?.isDirectory() ?? false;
  } catch {
    // A circular link, or a folder without permission.
    return false;
  }
}

function upwards(folder: string): string[] {
  const names = folder.split("/");
  return names.map((_, at) => names.slice(0, names.length - at).join("/") || "/");
}
