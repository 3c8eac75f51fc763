// Files on disk. Durable writes are atomic: temporary file beside the target, fsync, rename, fsync of the folder.
// Synchronous on purpose: a write is four short system calls, and handing each to a thread costs more than the call.

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
import { fileError, NOT_A_FILE, readRegularFile, TOO_LARGE } from "./bounded-file.ts";

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

/** Atomic, but not durable: a power cut may undo it. */
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

/** For a file that is moved into place afterwards. */
export function writeAndSync(path: string, text: string): void {
  const file = openSync(path, "w", 0o644);
  try {
    fillAndSync(file, text);
  } finally {
    closeSync(file);
  }
}

/** For a file that is moved into place afterwards. */
export function copyAndSync(from: string | Buffer, to: string | Buffer): void {
  copyFileSync(from, to);
  const file = openSync(to, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Writes all of the text to an open, empty file, and fsyncs it. */
export function fillAndSync(file: number, text: string): void {
  const length = Buffer.byteLength(text);
  let written = writeSync(file, text);
  // A write may be short, on a nearly full disk for example.
  if (written < length) {
    const bytes = Buffer.from(text);
    while (written < length) written += writeSync(file, bytes, written);
  }
  fsyncSync(file);
}

/** Fsyncs a folder, so that its names survive a power cut. */
export function syncFolder(path: string | Buffer): void {
  const folder = openSync(path, "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/** Fsyncs the parent unless `isDurable` is false. */
export function makeFolder(path: string, { isDurable = true } = {}): void {
  try {
    const first = mkdirSync(path, { recursive: true });
    if (first !== undefined && isDurable) syncFolder(dirname(first));
  } catch (error) {
    // Node reports ENOENT for a read-only disk when more than one folder is missing.
    if (errorCode(error) === "ENOENT") requireWritable(path);
    throw diskError(error, path);
  }
}

export const readText = (path: string): string => readRegularFile(path);

/** Refuses a link with ELOOP. O_NOFOLLOW checks and opens in one step, so no link can be swapped in between. */
export function readOwnText(path: string): string {
  try {
    const text = readFileSync(path, ownText);
    if (text === "" && !lstatSync(path).isFile()) throw fileError(path, NOT_A_FILE);
    return text;
  } catch (error) {
    if (errorCode(error) !== "EPERM" || ownText === WITHOUT_LINKS) throw error;
    // Only the owner may use O_NOATIME.
    ownText = WITHOUT_LINKS;
    return readOwnText(path);
  }
}

// Node accepts numeric flags; its types do not.
const textFlags = (flags: number) =>
  ({ encoding: "utf8", flag: flags as unknown as string }) as const;
/** O_NONBLOCK: a pipe reads as empty instead of waiting for its writer. */
const WITHOUT_LINKS = /* @__PURE__ */ textFlags(constants.O_NOFOLLOW | constants.O_NONBLOCK);
/** Otherwise each read marks the access time, which the next durable write has to flush. Linux only. */
const NO_ACCESS_TIME = (constants as { O_NOATIME?: number }).O_NOATIME ?? 0;
let ownText = /* @__PURE__ */ textFlags(
  constants.O_NOFOLLOW | constants.O_NONBLOCK | NO_ACCESS_TIME,
);

export const readOwnTextIfThere = (path: string): string | undefined =>
  readable(path, () => readOwnText(path));

/**
 * Lets a folder be listed without updating its access time. Linux (relatime) updates it when it is older than the last
 * change, and flushing that costs the next durable write a tenth more. A time far ahead is never older.
 */
export function skipAccessTime(folder: string): void {
  const { atimeMs, mtime } = statSync(folder);
  if (process.platform !== "linux" || atimeMs > FAR_AHEAD_S * 1000) return;
  try {
    utimesSync(folder, FAR_AHEAD_S + 1, mtime);
  } catch {
    // Another user's folder: listing it costs a little more.
  }
}

/** The year 2100. */
const FAR_AHEAD_S = 4_102_444_800;

/** Undefined when the file does not exist; any other failure is an error. */
export const readTextIfThere = (path: string): string | undefined =>
  readable(path, () => readText(path));

/** For a file that a person names: it may be a pipe, which a shell makes of `<(…)`. */
export const readGivenIfThere = (path: string): string | undefined =>
  readable(path, () => readFileSync(path, "utf8"));

/** Sorted by name; empty when the folder does not exist. */
export function listFolder(path: string): Dirent[] {
  const entries = readable(path, () => readdirSync(path, { withFileTypes: true })) ?? [];
  return entries.toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

function readable<T>(path: string, read: () => T): T | undefined {
  try {
    return ifThere(read);
  } catch (error) {
    throw new SagaError("bad-file", `${path} ${readProblem(error)}.`, {
      hint: "Check its type and permissions.",
      cause: error,
    });
  }
}

export const listNames = (path: string): string[] => readable(path, () => readdirSync(path)) ?? [];

/** Whether a path, with every link in it followed, is inside a folder. The path need not exist yet. */
export function isInside(realFolder: string, path: string): boolean {
  const real = followLinks(path);
  return real === realFolder || (real?.startsWith(`${realFolder}${sep}`) ?? false);
}

/** Throws when nothing can be created there, judging by the nearest existing folder. */
export function requireWritable(path: string): void {
  let folder = dirname(path);
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder);
  try {
    // The dot makes it fail when this is a file.
    accessSync(`${folder}/.`, constants.W_OK);
  } catch (error) {
    throw diskError(error, folder);
  }
}

export function diskError(error: unknown, path: string): unknown {
  switch (errorCode(error)) {
    case "ENOSPC":
    case "EDQUOT":
      return new SagaError("disk-full", `Cannot write ${path}: the disk is full.`, {
        hint: "Free some space and run the command again. Nothing was changed.",
        cause: error,
      });
    case "EROFS":
    case "EACCES":
    case "EPERM":
      return new SagaError("not-writable", `Cannot write ${path}: permission denied.`, {
        hint: "Check who owns it and whether the disk is read-only. Nothing was changed.",
        cause: error,
      });
    case "ENOTDIR":
    case "EISDIR":
    case "EEXIST":
    case "ENOTEMPTY":
      return new SagaError(
        "not-writable",
        `Cannot write ${path}: a file or folder is in the way.`,
        {
          hint: "Move it away and run the command again. Nothing was changed.",
          cause: error,
        },
      );
    default:
      return error;
  }
}

/** Why a file cannot be read, as the end of a sentence. */
export function readProblem(error: unknown): string {
  switch (errorCode(error)) {
    case "EISDIR":
      return "is a folder";
    case "ENOTDIR":
      return "is not a folder";
    case "ELOOP":
      return "is a link, which is not followed";
    case "EACCES":
      return "cannot be read: permission denied";
    // A pipe with a writer may have nothing to read yet.
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

/** Undefined when the file or folder does not exist. */
export function ifThere<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** As many as Linux itself follows. */
const MAX_LINKS = 40;

/** Like realpath, but the path need not exist, and dangling links are followed. Undefined for a link loop. */
function followLinks(path: string, linksLeft = MAX_LINKS): string | undefined {
  const absolute = resolve(path);
  try {
    return realpathSync.native(absolute);
  } catch (error) {
    // Missing, or below a file: its parents still count.
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
