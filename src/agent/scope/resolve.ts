// From the text of a path to the file it means. Only places are judged, never texts; if programs disagree
// about what a text means, every place that it may mean.

import { lstatSync, readlinkSync, type BigIntStats } from "node:fs";
import { resolve } from "node:path";

/** Why a path is refused, as the end of a sentence, and what to do instead, as a sentence. */
export interface PathRefusal {
  readonly because: string;
  readonly instead: string;
}

const IN_FULL = "Give the full path.";

/**
 * Every place that a program may take the text for, as absolute paths whose links are not followed yet.
 * Claude Code trims the text and expands `~`; others take it literally. After a link, `..` means the link's
 * parent to some programs, and the parent of its target to the system.
 */
export function readingsOf(cwd: string, text: string): readonly string[] | PathRefusal {
  const readings = new Set<string>();
  for (const spelling of new Set([text, text.trim()])) {
    const expanded = expand(spelling);
    if (typeof expanded === "object") return expanded;
    if (`${cwd}${spelling}${expanded}`.includes("\0")) {
      return { because: "it contains a NUL character", instead: IN_FULL };
    }
    for (const path of new Set([spelling, expanded])) addReadings(readings, cwd, path);
  }
  return [...readings];
}

/** The longest path that Linux accepts; other systems accept less. */
export const LONGEST_PATH = 4096;
const CLIMBS = /(?:^|\/)\.\.(?:\/|$)/;

function addReadings(readings: Set<string>, cwd: string, path: string): void {
  const literal = path.startsWith("/") ? path : `${cwd}/${path}`;
  const isTooLong = literal.length > LONGEST_PATH;
  if (!isTooLong) readings.add(literal);
  if (!isTooLong && !CLIMBS.test(literal)) return;
  const shortened = resolve(literal);
  // If it is still too long, no system opens it as a file.
  if (shortened.length <= LONGEST_PATH) readings.add(shortened);
}

function expand(text: string): string | PathRefusal {
  if (!/^[~fF]/.test(text)) return text;
  if (/^~[a-z_][\w-]*\//i.test(text)) {
    return { because: "it names another user's home folder", instead: IN_FULL };
  }
  // Loaded only when needed, which is rare: a hook script starts for every call.
  try {
    if (text === "~" || text.startsWith("~/")) {
      return `${process.getBuiltinModule("node:os").homedir()}${text.slice(1)}`;
    }
    return /^file:/i.test(text) ? process.getBuiltinModule("node:url").fileURLToPath(text) : text;
  } catch {
    return { because: "it does not name a file on this machine", instead: IN_FULL };
  }
}

/** A folder as the disk identifies it, whatever its name. */
export interface Identity {
  readonly path: string;
  readonly dev: bigint;
  readonly ino: bigint;
}

export interface ResolvedPath {
  /** All links are followed. The file need not exist. */
  readonly path: string;
  /** The paths of the links that were followed. */
  readonly links: readonly string[];
}

/** The number that Linux follows. */
const MAX_LINKS = 40;
/** Links such as `cwd` and `fd/3` lead somewhere else in each process. */
const PROCESS_LINK = /^\/proc\/(?:\d+|self|thread-self)\//;

/**
 * Like realpath, but for paths that may not exist yet. It walks name by name as the system does: a dangling
 * link is followed too, and `..` leaves the folder that the links led to. A second path to the project's
 * folder (a bind mount, a firmlink) is replaced by the first.
 */
export function follow(path: string, project: Identity | undefined): ResolvedPath | PathRefusal {
  const ahead = path.split("/").toReversed();
  const links: string[] = [];
  let here = "";
  let alias: string | undefined;
  for (let name = ahead.pop(); name !== undefined; name = ahead.pop()) {
    if (name === "" || name === ".") continue;
    if (name === "..") {
      here = parentOf(here);
      continue;
    }
    here += `/${name}`;
    const stats = lstatIfReadable(here);
    if (stats === undefined) continue;
    if (stats.ino === project?.ino && stats.dev === project.dev) alias = here;
    const target = stats.isSymbolicLink() ? linkTarget(here) : undefined;
    if (target === undefined) continue;
    if (links.length === MAX_LINKS) {
      return { because: "its links lead in a circle", instead: "Use a path without such links." };
    }
    if (PROCESS_LINK.test(here)) {
      return { because: "it leads somewhere else in each process", instead: IN_FULL };
    }
    links.push(here);
    here = target.startsWith("/") ? "" : parentOf(here);
    ahead.push(...target.split("/").toReversed());
  }
  return { path: original(here === "" ? "/" : here, alias, project), links };
}

export const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf("/")));

function original(path: string, alias: string | undefined, project: Identity | undefined): string {
  if (alias === undefined || project === undefined) return path;
  const isBelow = path === alias || path.startsWith(`${alias}/`);
  return isBelow ? `${project.path}${path.slice(alias.length)}` : path;
}

/** Undefined if it cannot be read: the tool runs as the same user and cannot read it either. */
function lstatIfReadable(path: string): BigIntStats | undefined {
  try {
    return lstatSync(path, { bigint: true, throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
