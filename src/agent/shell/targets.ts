// Whether a story's shell may change the file that a word of its command names.

import { below, groundOf, type Ground } from "../scope/roots.ts";
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
  const ground = groundOf(scope);
  const glob = path.indexOf(GLOB);
  // A pattern is judged by its folder.
  const place =
    glob >= 0
      ? follow(path.slice(0, path.lastIndexOf("/", glob)), ground.project)
      : (isRemoval ? followFolder : follow)(path, ground.project);
  const isUnclear = "because" in place;
  const refusal = isUnclear ? place : refusalOfPlace(ground, place, isRemoval && glob < 0);
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
function followFolder(path: string, project: Ground["project"]): ResolvedPath | PathRefusal {
  const cut = path.lastIndexOf("/") + 1;
  const name = path.slice(cut);
  if (/^\.{0,2}$/.test(name)) return follow(path, project);
  const folder = follow(path.slice(0, cut), project);
  if ("because" in folder) return folder;
  return { ...folder, path: `${folder.path}/${name}`.replace("//", "/") };
}

function refusalOfPlace(
  ground: Ground,
  place: ResolvedPath,
  isRemoval: boolean,
): PathRefusal | undefined {
  const { worktree, project, readable } = ground.scope;
  const { path } = place;
  const names = below(ground, worktree, path);
  if (isRemoval && names?.length === 0) {
    return {
      because: "it is the worktree of this story",
      instead: "Name the files in it that should go.",
    };
  }
  // `git init` inside by mistake can be undone.
  if (isRemoval && names && names.length > 1 && names.at(-1) === ".git") return undefined;
  const isAbove = isRemoval && [worktree, project].some((folder) => below(ground, path, folder));
  const isReadOnly = readable.some((folder) => below(ground, folder, path));
  const isFree = !names && !isAbove && !isReadOnly && isTemporary(ground, path, isRemoval);
  return (isFree ? useRefusal : changeRefusal)(ground, place);
}

export const temporaryFolder = (): string => process.env["TMPDIR"] || "/tmp";

const isTemporary = (ground: Ground, path: string, isRemoval: boolean): boolean =>
  [temporaryFolder(), "/tmp", "/var/tmp", "/dev/shm"].some((folder) => {
    const place = follow(folder, ground.project);
    const names = below(ground, "because" in place ? folder : place.path, path);
    return names !== undefined && (!isRemoval || names.length > 0);
  });
