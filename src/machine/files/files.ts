// The disk. Every write that matters is atomic and durable: temporary file beside the target, fsync,
// rename, fsync of the folder. Synchronous on purpose: a write is four short system calls, and
// handing each to a thread costs more than the call.

import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  accessSync,
  writeFileSync,
  writeSync,
  type Dirent,
} from "node:fs";
import { basename, dirname, join, resolve, sep } from "node:path";
import { SagaError } from "../../errors.ts";
import { fileFault, NOT_A_FILE, readPlainFile, TOO_LARGE } from "./bounded-file.ts";

export function writeDurably(path: string, text: string): void {
  const temporary = join(
    dirname(path),
    `.${basename(path)}.${Math.random().toString(36).slice(2)}.tmp`,
  );
  try {
    writeAndSync(temporary, text);
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw diskError(error, path);
  }
  syncFolder(dirname(path));
}

/** Whole or not at all, whatever is killed; a power cut may take it back. */
export function replaceFile(path: string, text: string): void {
  const temporary = join(dirname(path), `.${basename(path)}.${process.pid}.tmp`);
  try {
    writeFileSync(temporary, text);
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw diskError(error, path);
  }
}

/** For a file that nobody reads before it is moved into place. */
export function writeAndSync(path: string, text: string): void {
  const file = openSync(path, "w", 0o644);
  try {
    fillAndSync(file, text);
  } finally {
    closeSync(file);
  }
}

/** Byte for byte, and it survives a power cut; for a file that nobody reads yet. */
export function copyAndSync(from: string | Buffer, to: string | Buffer): void {
  copyFileSync(from, to);
  const file = openSync(to, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Puts all of the text into an open, empty file, and makes it survive a power cut. */
export function fillAndSync(file: number, text: string): void {
  const length = Buffer.byteLength(text);
  let written = writeSync(file, text);
  // The system may take less than it is given, on a disk that is nearly full for example.
  if (written < length) {
    const bytes = Buffer.from(text);
    while (written < length) written += writeSync(file, bytes, written);
  }
  fsyncSync(file);
}

/** Makes the names in a folder survive a power cut. */
export function syncFolder(path: string | Buffer): void {
  const folder = openSync(path, "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/** Its name survives a power cut, unless that does not matter. */
export function makeFolder(path: string, { isDurable = true } = {}): void {
  try {
    const first = mkdirSync(path, { recursive: true });
    if (first !== undefined && isDurable) syncFolder(dirname(first));
  } catch (error) {
    // Node says that of a read-only disk when more than one folder is missing.
    if (errorCode(error) === "ENOENT") requireWritable(path);
    throw diskError(error, path);
  }
}

/** Of a regular file, or a link to one. */
export const readText = (path: string): string => readPlainFile(path);

/** Refuses a link, with the code ELOOP: the system looks and opens in one step. */
export function readOwnText(path: string): string {
  try {
    const text = readFileSync(path, ownText);
    if (text === "" && !lstatSync(path).isFile()) throw fileFault(path, NOT_A_FILE);
    return text;
  } catch (error) {
    if (errorCode(error) !== "EPERM" || ownText === WITHOUT_LINKS) throw error;
    // Only the owner may read without leaving a trace.
    ownText = WITHOUT_LINKS;
    return readOwnText(path);
  }
}

// Node takes flags as a number as well; its types do not say so.
const textFlags = (flags: number) =>
  ({ encoding: "utf8", flag: flags as unknown as string }) as const;
/** Nor does it wait for what a pipe may bring one day: that seems empty. */
const WITHOUT_LINKS = textFlags(constants.O_NOFOLLOW | constants.O_NONBLOCK);
/** A note of each reading would have to be written to the disk with the next change. Linux only. */
const NO_TRACE = (constants as { O_NOATIME?: number }).O_NOATIME ?? 0;
let ownText = textFlags(constants.O_NOFOLLOW | constants.O_NONBLOCK | NO_TRACE);

export const readOwnTextIfThere = (path: string): string | undefined =>
  readable(path, () => readOwnText(path));

/**
 * Lets a folder be listed without a note of it. Linux writes the time of the last access down when it
 * is before the last change, and that note would go to the disk with the next durable write, at a
 * tenth of its price. A time far ahead is never before: nothing else looks at it.
 */
export function leaveNoTrace(folder: string): void {
  const { atimeMs, mtime } = statSync(folder);
  if (process.platform !== "linux" || atimeMs > FAR_AHEAD_S * 1000) return;
  try {
    utimesSync(folder, FAR_AHEAD_S + 1, mtime);
  } catch {
    // Someone else's folder: then it costs what it costs.
  }
}

/** The year 2100. */
const FAR_AHEAD_S = 4_102_444_800;

/** Nothing when the file is not there; any other trouble is an error. */
export const readTextIfThere = (path: string): string | undefined =>
  readable(path, () => readText(path));

/** The same of a file that a person names: it may be a pipe, as a shell makes one of `<(…)`. */
export const readGivenIfThere = (path: string): string | undefined =>
  readable(path, () => readFileSync(path, "utf8"));

/** Sorted by name; empty when the folder is not there. */
export function listFolder(path: string): Dirent[] {
  const entries = readable(path, () => readdirSync(path, { withFileTypes: true })) ?? [];
  return entries.toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

function readable<T>(path: string, read: () => T): T | undefined {
  try {
    return ifThere(read);
  } catch (error) {
    throw new SagaError("bad-file", `${path} ${readFault(error)}.`, {
      hint: "Check what it is and who may read it.",
      cause: error,
    });
  }
}

/** The names alone, which the system gives in order. */
export const listNames = (path: string): string[] => readable(path, () => readdirSync(path)) ?? [];

/**
 * Whether a path, with every link in it followed, stays inside a folder. It need not exist yet; the
 * folder is given with its own links followed already.
 */
export function isInside(realFolder: string, path: string): boolean {
  const real = followLinks(path);
  return real === realFolder || (real?.startsWith(`${realFolder}${sep}`) ?? false);
}

/** Whether something new may be put there: judged on the nearest folder that exists. */
export function requireWritable(path: string): void {
  let folder = dirname(path);
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder);
  try {
    // The dot fails where a file stands in the place of a folder.
    accessSync(`${folder}/.`, constants.W_OK);
  } catch (error) {
    throw diskError(error, folder);
  }
}

/** The same trouble in the product's words. */
export function diskError(error: unknown, path: string): unknown {
  switch (errorCode(error)) {
    case "ENOSPC":
    case "EDQUOT":
      return new SagaError("disk-full", `There is no space left to write ${path}.`, {
        hint: "Free some space and run the command again; nothing was changed.",
        cause: error,
      });
    case "EROFS":
    case "EACCES":
    case "EPERM":
      return new SagaError("not-writable", `${path} cannot be written.`, {
        hint: "Check who owns it and whether the disk is read-only; nothing was changed.",
        cause: error,
      });
    case "ENOTDIR":
    case "EISDIR":
    case "EEXIST":
    case "ENOTEMPTY":
      return new SagaError("not-writable", `Something else is in the way of ${path}.`, {
        hint: "Move it away and run the command again; nothing was changed.",
        cause: error,
      });
    default:
      return error;
  }
}

/** Why something cannot be read, as the end of a sentence. */
export function readFault(error: unknown): string {
  switch (errorCode(error)) {
    case "EISDIR":
      return "is a folder";
    case "ENOTDIR":
      return "is not a folder";
    case "ELOOP":
      return "is a link, which is not followed";
    case "EACCES":
      return "may not be read";
    // A pipe that someone writes to may have nothing to read yet.
    case "EAGAIN":
    case NOT_A_FILE:
      return "is not a regular file";
    case TOO_LARGE:
      return "is too large";
    default:
      return `cannot be read (${errorCode(error) ?? String(error)})`;
  }
}

export const errorCode = (error: unknown): string | undefined =>
  error instanceof Error && "code" in error ? String(error.code) : undefined;

/** The value, or nothing when the file or folder it needs is not there. */
export function ifThere<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** As many as the system itself follows. */
const MAX_LINKS = 40;

/**
 * Like realpath, for what may not exist yet: a link that leads nowhere is followed as well. Nothing
 * for one that leads to itself.
 */
function followLinks(path: string, linksLeft = MAX_LINKS): string | undefined {
  const absolute = resolve(path);
  try {
    return realpathSync.native(absolute);
  } catch (error) {
    // Not there, or below something that is no folder: the way down to it still counts.
    if (dirname(absolute) === absolute) throw error;
  }
  const parent = followLinks(dirname(absolute), linksLeft);
  if (parent === undefined) return undefined;
  const here = join(parent, basename(absolute));
  const target = linkTarget(here);
  if (target === undefined) return here;
  return linksLeft === 0 ? undefined : followLinks(resolve(parent, target), linksLeft - 1);
}

function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
