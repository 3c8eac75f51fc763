// Keeps git from running programs that an agent or a check brought along. Git runs what a repository's settings, hooks
// and attributes name: filters, drivers, helpers. Those that were there before an agent started are the person's own,
// git-lfs for example, and keep working. What appears while one runs is removed before Saga's next git command, in
// whichever process that is, also after the worker was killed; a copy is kept, and a person is told.
//
// The guard is up while a trusted copy of these files exists (`trusted-copy.ts`). While it is up, each git command
// compares the state of a few files; git is only started when one of them was changed.

import { existsSync, lstatSync } from "node:fs";
import { join } from "node:path";
import { messageOf, SagaError } from "../../errors.ts";
import { lockFolder, releaseLock } from "../files/folder-lock.ts";
import { writeDurably } from "../files/files.ts";
import { decodeBytes, rawCommand } from "../files/raw-bytes.ts";
import { plainEnvironment, type Environment } from "../processes/environment.ts";
import type { ProcessMark } from "../processes/process-tree.ts";
import { run } from "../processes/run.ts";
import { commonDirOf } from "./common-dir.ts";
import { COMMON_DIR } from "./git-retry.ts";
import {
  bytesOf,
  guardedFiles,
  identityAt,
  isSameEntry,
  replaceEntry,
  stateOf,
} from "./guarded-files.ts";
import { runsProgram, settingsIn, type Setting } from "./program-settings.ts";
import { newRemoval, onRemoval, type RemovedSettings } from "./removed-settings.ts";
import {
  addHolder,
  guardFolder,
  isAbandoned,
  newHolder,
  removeAbandoned,
  removeHolder,
  trustedIn,
} from "./trusted-copy.ts";

interface Guarded {
  readonly commonDir: string;
  readonly env: Environment;
}

interface HoldOptions {
  /** The variable that the agents and checks have in their environment. */
  readonly mark: ProcessMark;
  /** Called for each removal in this process, and when there is no guard. */
  readonly warn?: ((sentence: string) => void) | undefined;
}

/**
 * Puts the guard up around what runs agents or checks. Without a repository there is nothing to guard.
 */
export async function whileGuarded<T>(
  { folder, env }: { readonly folder: string; readonly env: Environment },
  { mark, warn = () => undefined }: HoldOptions,
  act: () => Promise<T>,
): Promise<T> {
  const commonDir = commonDirOf(folder);
  if (commonDir === undefined) return act();
  const guarded = { commonDir, env };
  const endListening = onRemoval(warn);
  try {
    // What a killed one left is judged by its own copy.
    await requireTrusted(guarded);
    const holder = newHolder(mark);
    await addHolder(guarded, holder).catch((error: unknown) => warn(unguarded(error)));
    try {
      return await act();
    } finally {
      await letGo(guarded, holder.id);
    }
  } finally {
    endListening();
  }
}

/** Receipts do not count then either, and people are told why. */
const unguarded = (error: unknown): string =>
  `Cannot watch git's settings for changes: ${messageOf(error)}`;

/** What cannot be put in order now stays guarded: the next command tries again. */
async function letGo(guarded: Guarded, id: string): Promise<void> {
  try {
    await requireTrusted(guarded);
    await removeHolder(guardFolder(guarded.commonDir, guarded.env), id);
  } catch {
    // On a full disk, for example.
  }
}

/** The files that this process has found in order, by checkout. */
const inOrder = new Map<string, string>();

/** Another git may be writing the same file at this moment. */
const MAX_REMOVALS = 3;
/** So many others may be changing the files at once. */
const MAX_TRIES = 6;

/**
 * Before each git command. Afterwards the repository names no program that came while an agent was running.
 * `gitDir`: only what git reads in this checkout is looked at, and all of it is compared when that was changed. With
 * many workers the files of their worktrees change all the time, and none of them matters to the others.
 */
export async function requireTrusted({ commonDir, env }: Guarded, gitDir?: string): Promise<void> {
  const guard = guardFolder(commonDir, env);
  const trusted = trustedIn(guard);
  let removal: RemovedSettings | undefined;
  // The state of all files names their repository.
  const place = gitDir ?? "";
  for (let tries = 1; existsSync(trusted); tries++) {
    const state = `${identityAt(trusted)} ${stateOf(commonDir, trusted, gitDir)}`;
    if (inOrder.get(place) === state) return;
    if (tries > MAX_TRIES) throw stillChanging(commonDir);
    const asWhole = tries > MAX_REMOVALS;
    removal ??= newRemoval(commonDir, env);
    if (await isInOrder(guard, { commonDir, env, trusted, removal, asWhole })) {
      inOrder.set(place, state);
      if (isAbandoned(guard)) await removeAbandoned(guard);
      return;
    }
  }
}

interface Comparison extends Guarded {
  readonly trusted: string;
  readonly removal: RemovedSettings;
  /** Restores files as a whole, and removes no single settings. */
  readonly asWhole: boolean;
}

/** False when something had to be changed: then it is looked at once more. */
async function isInOrder(guard: string, comparison: Comparison): Promise<boolean> {
  const lock = await lockFolder(guard);
  if (lock === undefined) return false;
  try {
    return existsSync(comparison.trusted) && (await compare(comparison));
  } finally {
    releaseLock(lock);
  }
}

async function compare(comparison: Comparison): Promise<boolean> {
  const { commonDir, trusted, removal } = comparison;
  const { configs, files, links } = guardedFiles(commonDir, trusted);
  const wrongLinks = links.filter((path) => !isLinkInOrder(join(commonDir, path)));
  for (const path of wrongLinks) {
    removal.keep(path);
    writeDurably(join(commonDir, path), COMMON_DIR);
    removal.report(changedSentence(join(commonDir, path), removal));
  }
  const changed = files.filter((path) => !isSameEntry(join(commonDir, path), join(trusted, path)));
  for (const path of changed) restore(comparison, path);
  let isSame = wrongLinks.length === 0 && changed.length === 0;
  for (const path of configs) {
    if (!(await isConfigInOrder(comparison, path))) isSame = false;
  }
  return isSame;
}

/** Git writes it in two steps: an empty one is waited for elsewhere. */
const isLinkInOrder = (file: string): boolean =>
  lstatSync(file, { throwIfNoEntry: false }) === undefined ||
  ["", COMMON_DIR.trim()].includes(bytesOf(file)?.toString().trim() ?? "?");

function restore({ commonDir, trusted, removal }: Comparison, path: string): void {
  removal.keep(path);
  replaceEntry(join(trusted, path), join(commonDir, path));
  removal.report(changedSentence(join(commonDir, path), removal));
}

async function isConfigInOrder(comparison: Comparison, path: string): Promise<boolean> {
  const { commonDir, trusted, removal, asWhole } = comparison;
  const file = join(commonDir, path);
  const stat = lstatSync(file, { throwIfNoEntry: false });
  const bytes = bytesOf(file);
  if (stat === undefined || bytes?.equals(bytesOf(join(trusted, path)) ?? NONE)) return true;
  const own = await trustedSettings(comparison);
  const found = bytes && (await settingsOf(["--file", file], comparison.env));
  const added = found?.filter(
    (one) => runsProgram(one) && !own.some((other) => isSame(one, other)),
  );
  if (added?.length === 0) return true;
  if (added === undefined || asWhole) {
    // Git cannot read it, or cannot write it.
    restore(comparison, path);
    return false;
  }
  removal.keep(path);
  for (const setting of added) await remove(comparison.env, { file, setting, own, removal });
  return false;
}

const NONE = Buffer.from("\0");

/** Of all files together: a new worktree gets a copy of the settings of the first. */
async function trustedSettings({ trusted, env }: Comparison): Promise<readonly Setting[]> {
  const { configs } = guardedFiles(trusted);
  const files = configs.map((path) => join(trusted, path)).filter((file) => existsSync(file));
  const lists = files.map((file) => settingsOf(["--file", file], env));
  return (await Promise.all(lists)).flatMap((list) => list ?? []);
}

const isSame = (one: Setting, other: Setting): boolean =>
  one.key === other.key && one.value === other.value;

interface Removing {
  readonly file: string;
  readonly setting: Setting;
  readonly own: readonly Setting[];
  readonly removal: RemovedSettings;
}

async function remove(env: Environment, { file, setting, own, removal }: Removing): Promise<void> {
  const { key, value } = setting;
  const which = value === undefined ? [key] : ["--fixed-value", key, value];
  // Another git may be writing the file at this moment: then it is tried again.
  if ((await gitConfig(["--file", file, "--unset-all", ...which], env)) === undefined) return;
  for (const known of own.filter((one) => one.key === key)) {
    const left = (await settingsOf(["--file", file], env)) ?? [];
    if (left.some((one) => isSame(one, known))) continue;
    await gitConfig(["--file", file, "--add", key, known.value ?? "true"], env);
  }
  removal.report(
    `${key} was set to ${JSON.stringify(value ?? "")} in ${file} while an agent was running. Saga removed it, because git would run it; a copy is in ${removal.folder}. If it is yours, set it again when no agent is running.`,
  );
}

const changedSentence = (file: string, removal: RemovedSettings): string =>
  `${file} was changed while an agent was running. Saga restored it, because git could run a program by it; a copy is in ${removal.folder}. If the change is yours, make it again when no agent is running.`;

/** Undefined when git cannot read it. Included files are not followed. */
async function settingsOf(
  where: readonly string[],
  env: Environment,
): Promise<Setting[] | undefined> {
  const listed = await gitConfig([...where, "--null", "--list"], env);
  return listed === undefined ? undefined : settingsIn(listed);
}

const TIMEOUT_MS = 30_000;

/** Outside of every repository. Undefined when it fails. */
async function gitConfig(words: readonly string[], env: Environment): Promise<string | undefined> {
  const result = await run(...rawCommand("git", ["config", ...words]), {
    cwd: "/",
    env: {
      ...plainEnvironment(env),
      LC_ALL: "C",
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_CONFIG_GLOBAL: "/dev/null",
    },
    decode: decodeBytes,
    timeoutMs: TIMEOUT_MS,
  });
  return result.kind === "exited" && result.exitCode === 0 ? result.stdout : undefined;
}

const stillChanging = (commonDir: string): SagaError =>
  new SagaError(
    "unsafe-path",
    `The git settings in ${commonDir} change again and again while an agent is running.`,
    { hint: "End the process that changes them, then run the command again." },
  );
