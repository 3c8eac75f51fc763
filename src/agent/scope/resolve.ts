// From the text of a path to the file it means. A text is never judged, only the place it leads to:
// every place, where programs disagree about what the text means.

import { lstatSync, readlinkSync, type BigIntStats } from "node:fs";
import { resolve } from "node:path";

/** Why something may not be, as the end of a sentence, and a sentence on what to do about it. */
export interface PathRefusal {
  readonly because: string;
  readonly instead: string;
}

const IN_FULL = "Give the path in full.";

/**
 * Every place that a program may take the text for, as absolute paths with their links still in them.
 * Claude Code trims the text and reads `~`; others take it as it stands. A `..` behind a link means
 * the folder around the link to some, and around its target to the system.
 */
export function readingsOf(cwd: string, text: string): readonly string[] | PathRefusal {
  const readings = new Set<string>();
  for (const spelling of new Set([text, text.trim()])) {
    const expanded = expand(spelling);
    if (typeof expanded === "object") return expanded;
    if (`${cwd}${spelling}${expanded}`.includes("\0")) {
      return { because: "it holds a NUL character, which no name can", instead: IN_FULL };
    }
    for (const path of new Set([spelling, expanded])) addReadings(readings, cwd, path);
  }
  return [...readings];
}

/** The longest path that Linux takes; other systems take less. */
export const LONGEST_PATH = 4096;
const CLIMBS = /(?:^|\/)\.\.(?:\/|$)/;

function addReadings(readings: Set<string>, cwd: string, path: string): void {
  const asItStands = path.startsWith("/") ? path : `${cwd}/${path}`;
  const isTooLong = asItStands.length > LONGEST_PATH;
  if (!isTooLong) readings.add(asItStands);
  if (!isTooLong && !CLIMBS.test(asItStands)) return;
  const shortened = resolve(asItStands);
  // What is still too long is some other text: no system opens it as a file.
  if (shortened.length <= LONGEST_PATH) readings.add(shortened);
}

function expand(text: string): string | PathRefusal {
  if (!/^[~fF]/.test(text)) return text;
  if (/^~[a-z_][\w-]*\//i.test(text)) {
    return { because: "it names another person's home folder", instead: IN_FULL };
  }
  // Loaded where they are needed, which is hardly ever: a hook script starts for every call.
  try {
    if (text === "~" || text.startsWith("~/")) {
      return `${process.getBuiltinModule("node:os").homedir()}${text.slice(1)}`;
    }
    return /^file:/i.test(text) ? process.getBuiltinModule("node:url").fileURLToPath(text) : text;
  } catch {
    return { because: "it names no file of this machine", instead: IN_FULL };
  }
}

/** A folder as the disk knows it, by whatever name it is reached. */
export interface Identity {
  readonly path: string;
  readonly dev: bigint;
  readonly ino: bigint;
}

export interface ResolvedPath {
  /** With every link followed. It need not exist. */
  readonly path: string;
  /** The links that were followed, by their own names. */
  readonly links: readonly string[];
}

/** As many as the system itself follows. */
const MAX_LINKS = 40;
/** Links such as `cwd` and `fd/3`, which lead each process somewhere else. */
const OF_A_PROCESS = /^\/proc\/(?:\d+|self|thread-self)\//;

/**
 * Like realpath, but for what may not exist yet: name by name, as the system walks, so that a link
 * which leads nowhere is followed too, and a `..` leaves the folder that the links led to.
 * A second way to the project's folder (a bind mount, a firmlink) is taken for the first.
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
    const stats = look(here);
    if (stats === undefined) continue;
    if (stats.ino === project?.ino && stats.dev === project.dev) alias = here;
    const target = stats.isSymbolicLink() ? linkTarget(here) : undefined;
    if (target === undefined) continue;
    if (links.length === MAX_LINKS) {
      return { because: "its links lead in a circle", instead: "Use a path without such links." };
    }
    if (OF_A_PROCESS.test(here)) {
      return { because: "it leads each process somewhere else", instead: IN_FULL };
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

/** What cannot be seen is no link: the tool, run by the same person, sees no more. */
function look(path: string): BigIntStats | undefined {
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
