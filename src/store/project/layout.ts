// The paths of everything in a project.

import { existsSync, lstatSync, realpathSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { SagaError } from "../../errors.ts";
import { ifThere } from "../../machine/files/files.ts";
import type { FolderLock } from "../../machine/files/folder-lock.ts";

export interface Layout {
  readonly project: string;
  /** The real path of the `.saga` folder. */
  readonly saga: string;
}

/** The right to write to `.saga`. */
export interface WriteLock extends Layout, FolderLock {}

export const layoutOf = (project: string): Layout => ({
  project,
  saga: ifThere(() => realpathSync.native(join(project, ".saga"))) ?? join(project, ".saga"),
});

export const configFile = (at: Layout): string => `${at.saga}/config.toml`;
/** The project's template for the prompt of agents. */
export const promptFile = (at: Layout): string => `${at.saga}/worker-prompt.md`;
export const epicsFile = (at: Layout): string => `${at.saga}/epics.json`;
export const epicsFolder = (at: Layout): string => `${at.saga}/epics`;
export const storiesFolder = (at: Layout): string => `${at.saga}/stories`;
export const archiveFolder = (at: Layout): string => `${at.saga}/archive`;
export const worktreesFolder = (at: Layout): string => `${at.saga}/worktrees`;
export const runsFolder = (at: Layout): string => `${at.saga}/runs`;
export const leasesFolder = (at: Layout): string => `${at.saga}/leases`;
export const notificationsFolder = (at: Layout): string => `${at.saga}/notices`;
export const autoFolder = (at: Layout): string => `${at.saga}/auto`;
export const queueFolder = (at: Layout): string => `${at.saga}/queue`;
export const conflictsFolder = (at: Layout): string => `${at.saga}/conflicts`;
export const receiptsFolder = (at: Layout): string => `${at.saga}/receipts`;
/** What other machines of the fleet have, as this one last saw it. */
export const elsewhereFolder = (at: Layout): string => `${at.saga}/elsewhere`;
export const transactionFolder = (at: Layout): string => `${at.saga}/transaction`;

export const epicFile = (at: Layout, epicId: string): string =>
  `${epicsFolder(at)}/${epicId}/epic.json`;

/** The lines of `.saga/.gitignore`: live state and other checkouts. */
export const IGNORED = [
  "worktrees/",
  "runs/",
  "leases/",
  "notices/",
  "auto/",
  "queue/",
  "conflicts/",
  "receipts/",
  "elsewhere/",
  "transaction/",
  // With a slash: a task may be called `epics`.
  "/epics.json",
  ".*.tmp",
] as const;

/**
 * The project around a folder. A story's worktree has its own `.saga`: there it is the project that the worktree
 * belongs to.
 */
export function findProject(from: string): string | undefined {
  for (let folder = resolve(from); ; folder = dirname(folder)) {
    if (existsSync(join(folder, ".saga"))) return outermost(folder);
    if (dirname(folder) === folder) return undefined;
  }
}

export function requireProject(from: string): string {
  const project = findProject(from);
  if (project !== undefined) {
    if (statSync(join(project, ".saga")).isDirectory()) return project;
    throw new SagaError("bad-file", `${join(project, ".saga")} is not a folder.`, {
      hint: "Move it away and run `saga init`.",
    });
  }
  throw new SagaError("no-project", `No Saga project in ${resolve(from)} or above it.`, {
    hint: "Run `saga init` in the top folder of your repository.",
  });
}

/** In a worktree `.git` is a file, in a repository it is a folder. */
export const isWorktree = (folder: string): boolean =>
  lstatSync(`${folder}/.git`, { throwIfNoEntry: false })?.isFile() ?? false;

function outermost(folder: string): string {
  const owner = /^(?<project>.+?)\/\.saga\/worktrees\/[^/]+(?:\/[^/]+)?$/s.exec(folder)?.groups?.[
    "project"
  ];
  return owner !== undefined && isWorktree(folder) && existsSync(join(owner, ".saga"))
    ? owner
    : folder;
}
