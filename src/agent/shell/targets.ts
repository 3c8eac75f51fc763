// Whether a story's shell may change the file that a word of its command names.

import { below, rootsOf, type ScopeRoots } from "../scope/roots.ts";
import { follow, LONGEST_PATH, type ResolvedPath, type PathRefusal } from "../scope/resolve.ts";
import { changeRefusal, quote, useRefusal } from "../scope/rules.ts";
import type { Scope } from "../scope/scope.ts";
import { GLOB, UNKNOWN } from "./parse.ts";
import type { ShellChange } from "./programs.ts";

export interface ShellRefusal extends PathRefusal {
  /** What may not be changed. */
  readonly what: string;
}

/** Devices that keep nothing. */
const DEVICE = /^\/dev\/(?:null|zero|full|tty|std(?:in|out|err)|(?:fd|tcp|udp)\/.+)$/;

export function refusalOfChange(
  scope: Scope,
  cwd: string | undefined,
  { word, isRemoval }: ShellChange,
): ShellRefusal | undefined {
  const path = absolute(cwd, word);
  if (path === undefined || /^-?$/.test(word) || DEVICE.test(path)) return undefined;
  const roots = rootsOf(scope);
  const glob = path.indexOf(GLOB);
  // A pattern is judged by its folder.
  const place =
    glob >= 0
      ? follow(path.slice(0, path.lastIndexOf("/", glob)), roots.project)
      : (isRemoval ? followFolder : follow)(path, roots.project);
  const isUnclear = "because" in place;
  const refusal = isUnclear ? place : refusalOfPlace(roots, place, isRemoval && glob < 0);
  if (refusal === undefined) return undefined;
  const isShown = isUnclear || place.path === word;
  const shown = quote(word.replaceAll(GLOB, "*"));
  return { ...refusal, what: isShown ? shown : `${shown}, which is ${quote(place.path)}` };
}

/** Undefined where only the shell knows. */
export function absolute(cwd: string | undefined, word: string): string | undefined {
  const path = word.startsWith("/") ? word : `${cwd ?? UNKNOWN}/${word}`;
  return path.includes(UNKNOWN) || path.length > LONGEST_PATH ? undefined : path;
}

/** Removing a link leaves its target alone. */
function followFolder(path: string, project: ScopeRoots["project"]): ResolvedPath | PathRefusal {
  const cut = path.lastIndexOf("/") + 1;
  const name = path.slice(cut);
  if (/^\.{0,2}$/.test(name)) return follow(path, project);
  const folder = follow(path.slice(0, cut), project);
  if ("because" in folder) return folder;
  return { ...folder, path: `${folder.path}/${name}`.replace("//", "/") };
}

function refusalOfPlace(
  roots: ScopeRoots,
  place: ResolvedPath,
  isRemoval: boolean,
): PathRefusal | undefined {
  const { worktree, project, readable } = roots.scope;
  const { path } = place;
  const names = below(roots, worktree, path);
  if (isRemoval && names?.length === 0) {
    return {
      because: "it is the worktree of this story",
      instead: "Name the files in it that should go.",
    };
  }
  // `git init` inside by mistake can be undone.
  if (isRemoval && names && names.length > 1 && names.at(-1) === ".git") return undefined;
  const isAbove = isRemoval && [worktree, project].some((folder) => below(roots, path, folder));
  const isReadOnly = readable.some((folder) => below(roots, folder, path));
  const isFree = !names && !isAbove && !isReadOnly && isTemporary(roots, path, isRemoval);
  return (isFree ? useRefusal : changeRefusal)(roots, place);
}

export const temporaryFolder = (): string => process.env["TMPDIR"] || "/tmp";

const isTemporary = (roots: ScopeRoots, path: string, isRemoval: boolean): boolean =>
  [temporaryFolder(), "/tmp", "/var/tmp", "/dev/shm"].some((folder) => {
    const place = follow(folder, roots.project);
    const names = below(roots, "because" in place ? folder : place.path, path);
    return names !== undefined && (!isRemoval || names.length > 0);
  });
