// What Saga took out of a repository because it could have run a program: copies of it, and reports for people.

import { readdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { parseJson } from "../../text/parse-json.ts";
import { errorCode, makeFolder, readText, writeDurably } from "../files/files.ts";
import type { Environment } from "../processes/environment.ts";
import { copyEntry } from "./guarded-files.ts";
import { guardFolder, guardFolders } from "./trusted-copy.ts";

const REMOVED = "removed";
// As earlier versions named them: a report must not get lost in an update.
const UNREPORTED = "untold.json";
const REPORTED = "told.json";

export interface RemovedSettings {
  /** A folder with the files as they were. */
  readonly folder: string;
  readonly keep: (path: string) => void;
  readonly report: (sentence: string) => void;
}

type Listener = (sentence: string) => void;
const listeners = new Set<Listener>();

/** Of this process. Answers a function that ends it. */
export function onRemoval(listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Made for the first thing that is kept. */
export function newRemoval(commonDir: string, env: Environment): RemovedSettings {
  const name = `${new Date().toISOString().replaceAll(/[:.]/g, "-")}-${process.pid}`;
  const folder = join(guardFolder(commonDir, env), REMOVED, name);
  const sentences: string[] = [];
  return {
    folder,
    keep(path) {
      makeFolder(folder);
      // A pipe has nothing to keep.
      ifCopied(() => copyEntry(join(commonDir, path), join(folder, path)));
    },
    report(sentence) {
      sentences.push(sentence);
      makeFolder(folder);
      writeDurably(join(folder, UNREPORTED), JSON.stringify(sentences));
      for (const listener of listeners) listener(sentence);
    },
  };
}

function ifCopied(copy: () => void): void {
  try {
    copy();
  } catch (error) {
    if (!errorCode(error)?.startsWith("ERR_FS_CP")) throw error;
  }
}

/** What was not reported to a person yet, in every repository. It counts as reported then. */
export const takeUnreported = (env: Environment): string[] =>
  namesIn(guardFolders(env)).flatMap((guard) => {
    const removed = join(guardFolders(env), guard, REMOVED);
    return namesIn(removed).flatMap((name) => take(join(removed, name)));
  });

function take(folder: string): string[] {
  try {
    const lines = parseJson(readText(join(folder, UNREPORTED)));
    renameSync(join(folder, UNREPORTED), join(folder, REPORTED));
    return Array.isArray(lines) ? lines.map(String) : [];
  } catch {
    // Nothing to report, or another command reports it.
    return [];
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
