// From a word of a shell command to the place that it means, and whether a story's shell may change
// that. A word that only the shell knows in full is judged by the folder that it surely lies in.

import { below, groundOf, type Ground } from "../scope/roots.ts";
import { follow, LONGEST_PATH, type Place, type Refusal } from "../scope/resolve.ts";
import { changeRefusal, quote, useRefusal } from "../scope/rules.ts";
import type { Scope, Verdict } from "../scope/scope.ts";
import type { Change, How } from "./programs.ts";
import { realFolder } from "./repository.ts";
import { ANYTHING, HERE, UNKNOWN } from "./words.ts";

/** What may not be changed, as it is shown, and why. */
export interface ShellRefusal extends Refusal {
  readonly what: string;
}

/** What every program may write to, because nothing is kept there. */
const NOWHERE = /^\/dev\/(?:null|zero|full|tty|std(?:in|out|err)|(?:fd|tcp|udp)\/.+)$/;

export function verdictOn(tool: string, refusal: ShellRefusal | undefined): Verdict {
  if (refusal === undefined) return { isAllowed: true };
  const why = `${refusal.because}. ${refusal.instead}`;
  return { isAllowed: false, reason: `${tool} may not change ${refusal.what}: ${why}` };
}

/** `here` is the folder that the shell stands in, where that is known. */
export function refusalOfChange(
  scope: Scope,
  here: string | undefined,
  { word, how }: Change,
): ShellRefusal | undefined {
  const text = word.replaceAll(HERE, here ?? UNKNOWN);
  const path = /^[/\uE000]/.test(text) ? text : `${here ?? UNKNOWN}/${text}`;
  // What is longer than any path is no file. A dash alone is what a program reads from or writes to anyway.
  const isNoFile = /^-?$/.test(text) || NOWHERE.test(path) || path.length > LONGEST_PATH;
  if (isNoFile || path.startsWith(UNKNOWN)) return undefined;
  const ground = groundOf(scope);
  const change = { word: text.replaceAll(ANYTHING, "*"), how };
  const mark = path.search(/[\uE000-\uE001]/);
  if (mark < 0) return refusalOfPath(ground, path, change);

  const cut = path.lastIndexOf("/", mark) + 1;
  const isUnknown = path[mark] === UNKNOWN;
  const folder = follow(path.slice(0, cut), ground.project);
  if ("because" in folder || (isUnknown && mayBeOwn(ground, folder.path))) return undefined;
  const refusal = refusalOfPath(ground, folder.path, { ...change, how: "at" });
  if (refusal !== undefined || isUnknown) return refusal;
  return keptIn(ground, folder.path, path.slice(cut).replace(/\/.*/s, ""))
    .map((match) => refusalOfPath(ground, match, change))
    .find(Boolean);
}

/** Whether some of what is below may be changed: then what is unknown is taken to be that. */
function mayBeOwn(ground: Ground, folder: string): boolean {
  const { worktree, storyId } = ground.scope;
  return below(ground, folder, `${worktree}/.saga/stories/${storyId}`) !== undefined;
}

/** Of all that a pattern matches in a folder, what holds something that must be kept. */
function keptIn(ground: Ground, folder: string, pattern: string): readonly string[] {
  const { worktree, project } = ground.scope;
  const ends = pattern.split(ANYTHING);
  return [project, worktree, `${worktree}/.git`, `${worktree}/.saga`].flatMap((path) => {
    const [name = ""] = below(ground, folder, path) ?? [];
    // A star does not stand for the dot in front of a name.
    const isSeen = !name.startsWith(".") || pattern.startsWith(".");
    const isMatch = name.startsWith(ends[0] ?? "") && name.endsWith(ends.at(-1) ?? "");
    return name !== "" && isSeen && isMatch ? [`${folder}/${name}`] : [];
  });
}

function refusalOfPath(
  ground: Ground,
  path: string,
  { word, how }: Change,
): ShellRefusal | undefined {
  const place = how === "gone" ? followFolder(ground, path) : follow(path, ground.project);
  const isUnclear = "because" in place;
  const refusal = isUnclear ? place : refusalOfPlace(ground, place, how);
  if (refusal === undefined) return undefined;
  const isShown = isUnclear || place.path === word;
  return { ...refusal, what: quote(word) + (isShown ? "" : `, which is ${quote(place.path)}`) };
}

/** Of a link that is taken away, only the way to it is followed. */
function followFolder({ project }: Ground, path: string): Place | Refusal {
  const cut = path.lastIndexOf("/") + 1;
  const name = path.slice(cut);
  if (/^\.{0,2}$/.test(name)) return follow(path, project);
  const folder = follow(path.slice(0, cut), project);
  return "because" in folder
    ? folder
    : { ...folder, path: `${folder.path}/${name}`.replace("//", "/") };
}

function refusalOfPlace(ground: Ground, place: Place, how: How): Refusal | undefined {
  const { worktree, project } = ground.scope;
  const { path } = place;
  const names = below(ground, worktree, path);
  // Where the worktree itself is temporary, that says nothing about what is in it.
  if (names) {
    if (how === "gone" && names.length === 0) {
      return {
        because: "it is the worktree that this story is worked on in",
        instead: "Name the files in it that are to go.",
      };
    }
    // A repository that was made inside by mistake may be taken apart again; the worktree's own may not.
    const isInner = how === "gone" && names.length > 1 && names.at(-1) === ".git";
    return isInner ? undefined : changeRefusal(ground, place);
  }
  const isAround =
    how !== "at" && [worktree, project].some((folder) => below(ground, path, folder));
  const isShared = ground.scope.readable.some((folder) => below(ground, folder, path));
  const isFree = !isAround && !isShared && isTemporary(ground, path, how);
  // What is temporary may be changed, unless it belongs to the project all the same.
  return (isFree ? useRefusal : changeRefusal)(ground, place);
}

const isTemporary = (ground: Ground, path: string, how: How): boolean =>
  // As `os.tmpdir()` has it, which a hook script would have to load.
  [process.env["TMPDIR"] || "/tmp", "/tmp", "/var/tmp", "/dev/shm"].some((folder) => {
    const names = below(ground, realFolder(ground, folder), path);
    return names !== undefined && (how === "at" || names.length > 0);
  });
