// Facts from git and the files, read without Saga's code, to compare with its answers.

import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Stage } from "../stage.ts";
import type { World } from "./world.ts";

/** Of all records of runs together. */
export function recordLines(project: string): number {
  const runs = join(project, ".saga/runs");
  let lines = 0;
  for (const story of namesIn(runs)) {
    for (const run of namesIn(join(runs, story))) {
      const text = textOf(join(runs, story, run, "events.jsonl")) ?? "";
      lines += text.split("\n").length - 1;
    }
  }
  return lines;
}

/** The tips of branches. Read from git's own files, because it is called often. */
export function knownTips({ path }: Pick<Stage, "path">): Map<string, string> {
  const tips = new Map<string, string>();
  const heads = join(path, ".git/refs/heads");
  for (const name of ["main", ...below(heads, "story"), ...below(heads, "epic")]) {
    const commit = textOf(join(heads, name))?.trim() ?? "";
    if (/^[0-9a-f]{40}$/.test(commit)) tips.set(commit, name);
  }
  const packed = textOf(join(path, ".git/packed-refs")) ?? "";
  for (const [, commit, name] of packed.matchAll(/^([0-9a-f]{40}) refs\/heads\/(\S+)$/gm)) {
    if (commit !== undefined && name !== undefined && !tips.has(commit)) tips.set(commit, name);
  }
  return tips;
}

const below = (heads: string, folder: string): string[] =>
  namesIn(join(heads, folder)).map((name) => `${folder}/${name}`);

/** The tasks with commits there, once per commit. */
export function taskTrailers(world: Pick<World, "stage" | "bare" | "plan">, ref: string): string[] {
  const format = "--format=%(trailers:key=Saga-Task,valueonly)";
  // What is pushed lives at the remote, but for the branches of stories.
  const isThere = world.plan.remote === "pushed" && !ref.startsWith("story/");
  const cwd = isThere && world.bare !== undefined ? world.bare : world.stage.path;
  return (gitIn(cwd, "log", format, ref, "--") ?? "").split("\n").filter((line) => line !== "");
}

/** A file as it is at the end of a branch, line by line. */
export function linesIn(world: Pick<World, "stage" | "bare" | "plan">, ref: string, file: string) {
  const isThere = world.plan.remote === "pushed" && world.bare !== undefined;
  const cwd = isThere ? (world.bare ?? "") : world.stage.path;
  return (gitIn(cwd, "show", `${ref}:${file}`) ?? "").split("\n");
}

/** Undefined if git refuses: no such branch or file. */
function gitIn(cwd: string, ...words: string[]): string | undefined {
  try {
    return execFileSync("git", words, {
      cwd,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
  } catch {
    return undefined;
  }
}

export interface TrueCopy {
  readonly folder: string;
  readonly isInWorktree: boolean;
}

/** The story's current files: in its worktree, while there is one. */
export function trueCopy({ path }: Pick<Stage, "path">, storyId: string): TrueCopy {
  const worktree = join(path, ".saga/worktrees", storyId);
  const inside = join(worktree, ".saga/stories", storyId);
  const isInWorktree = existsSync(join(worktree, ".git")) && existsSync(join(inside, "story.json"));
  return { folder: isInWorktree ? inside : join(path, ".saga/stories", storyId), isInWorktree };
}

/** The statuses in that copy, by task. */
export function statusesIn(folder: string): Record<string, string> {
  const files = namesIn(folder).filter((name) => /^[^.].*\.json$/.test(name));
  return Object.fromEntries(
    files
      .filter((name) => name !== "story.json")
      .map((name) => {
        const task = JSON.parse(readFileSync(join(folder, name), "utf8")) as { status: string };
        return [name.slice(0, -".json".length), task.status];
      }),
  );
}

/** Every file below a folder, except git's own. */
export function filesBelow(folder: string): string[] {
  return readdirSafely(folder).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.name === ".git") return [];
    return entry.isDirectory() ? filesBelow(path) : [path];
  });
}

/** The contents of every reachable object, as one text. */
export function everySnapshot(folder: string): string {
  const options = { cwd: folder, maxBuffer: 256 * 1024 * 1024 };
  const objects = execFileSync("git", ["rev-list", "--all", "--objects"], options)
    .toString()
    .split("\n")
    .map((line) => line.slice(0, 40))
    .join("\n");
  return execFileSync("git", ["cat-file", "--batch"], { ...options, input: objects }).toString();
}

export const snapshotCommits = (folder: string): Set<string> =>
  new Set(
    execFileSync("git", ["rev-list", "--all"], { cwd: folder, encoding: "utf8" })
      .trim()
      .split("\n"),
  );

export const namesIn = (folder: string): string[] => readdirSafely(folder).map(({ name }) => name);

function readdirSafely(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

export function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
