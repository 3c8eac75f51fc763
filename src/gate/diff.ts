// The diff rules: findings about a story's changes, from facts alone. Pure.

import { posix } from "node:path";
import { storyFolder } from "../repo/worktree/bring-story.ts";
import { MAX_TEXT_BYTES, type DiffEntry, type Changes } from "../repo/diff/changes.ts";
import type { KeyedFinding } from "../story/receipts/receipt.ts";
import type { Settings } from "../story/settings/settings.ts";
import { isLockFile } from "../story/review/path-kinds.ts";
import { newMatcher } from "./globs.ts";

export interface DiffRules {
  readonly storyId: string;
  /** The files that the story and its tasks may change; undefined if they do not declare any. */
  readonly writeFiles: readonly string[] | undefined;
  /** At least one of these lists must allow a file too (`boundsOfWrites`). Undefined: no bounds. */
  readonly bounds?: readonly (readonly string[])[] | undefined;
  readonly limits: Settings["gate"];
}

/** Most important rules first. */
export function judgeDiff(changes: Changes, rules: DiffRules): readonly KeyedFinding[] {
  const own = `${storyFolder(rules.storyId)}/`;
  // The story's own folder is written by Saga and does not count as work.
  const work = changes.files.filter(({ path, from = path }) => ![path, from].every(isBelow(own)));
  return [
    ...judgePlaces(work, rules, own),
    ...changes.files.flatMap(judgeLink),
    ...changes.files.flatMap(judgeSubmodule),
    ...judgeDeletions(work, changes.filesBefore, rules.limits),
    ...judgeBinaries(changes.files, rules.limits),
    ...judgeSize(work, rules.limits),
    ...(rules.limits.secrets ? changes.files.flatMap(judgeSearchable) : []),
  ];
}

const isBelow =
  (folder: string) =>
  (path: string): boolean =>
    path.startsWith(folder);

/** Files that this story may not change, with one finding each. A rename changes two files. */
function judgePlaces(
  work: readonly DiffEntry[],
  { writeFiles, bounds, limits }: DiffRules,
  own: string,
): readonly KeyedFinding[] {
  const protectedBy = newMatcher(limits.protected, { ignoresCase: true });
  const declaredBy = writeFiles && newMatcher(writeFiles);
  const boundBy = bounds?.map((globs) => newMatcher(globs));
  const isDeclared = (file: string): boolean =>
    (declaredBy === undefined || declaredBy(file) !== undefined) &&
    (boundBy === undefined || boundBy.some((matches) => matches(file) !== undefined));
  const judge = (file: string, change: keyof typeof VERBS): readonly KeyedFinding[] => {
    if (file.startsWith(own)) return [];
    const what = VERBS[change];
    const glob = protectedBy(file);
    if (glob !== undefined) {
      const message = `The file ${what}, but is protected by \`${glob}\` (\`gate.protected\`).`;
      return [{ rule: "protected", file, key: `${change} ${glob}`, message }];
    }
    // Some file systems treat `.SAGA` as the same folder.
    if (/^\.saga(?:\/|$)/i.test(file)) {
      const message = `The file ${what}, but belongs to Saga, not to this story.`;
      return [{ rule: "saga", file, key: change, message }];
    }
    if (isDeclared(file)) return [];
    const globs = declaredBy && declaredBy(file) === undefined ? writeFiles : bounds?.flat();
    const message = `The file ${what}, but ${allowedText(globs)}.`;
    return [{ rule: "undeclared", file, key: change, message }];
  };
  return work.flatMap(({ path, from, status }) =>
    from === undefined
      ? judge(path, status)
      : [...judge(from, "renamed"), ...judge(path, "renamed-onto")],
  );
}

const VERBS: Readonly<Record<DiffEntry["status"] | "renamed-onto", string>> = {
  added: "was added",
  modified: "was changed",
  deleted: "was deleted",
  renamed: "was renamed",
  "renamed-onto": "was created by a rename",
  "type-changed": "was replaced by another type of file",
};

const MAX_GLOBS = 5;

function allowedText(globs: readonly string[] = []): string {
  if (globs.length === 0) return "the story may not change any file";
  const more = globs.length - MAX_GLOBS;
  const names = globs.slice(0, MAX_GLOBS).map((glob) => `\`${glob}\``);
  return `the story may only change ${names.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

function judgeLink({ path: file, linkTarget }: DiffEntry): readonly KeyedFinding[] {
  if (linkTarget === undefined) return [];
  const where = whereLinkLeads(file, linkTarget);
  if (where === undefined) return [];
  const message = `The file is a symbolic link ${LINKS[where]}: \`${shown(linkTarget)}\`.`;
  return [{ rule: "symlink", file, key: `${where} ${linkTarget}`, message }];
}

const LINKS = {
  absolute: "to an absolute path, which other machines do not have",
  climbing: "with `..` after a folder name, so its target is unclear",
  outside: "out of the repository",
  git: "into the .git folder",
} as const;

function whereLinkLeads(path: string, target: string): keyof typeof LINKS | undefined {
  if (target.startsWith("/")) return "absolute";
  // A folder in the target may be a symlink itself, so a `..` after it can lead anywhere.
  if (/(?:^|\/)(?!\.{0,2}\/)[^/]+\/(?:.*\/)?\.\.(?:\/|$)/s.test(target)) {
    return "climbing";
  }
  const reached = posix.join(posix.dirname(path), target);
  if (/^\.\.(?:\/|$)/.test(reached)) return "outside";
  return /^\.git(?:\/|$)/i.test(reached) ? "git" : undefined;
}

/** Findings are shown in terminals and pull requests. */
const shown = (text: string): string => text.replaceAll(/[\s`\p{Cc}\p{Cf}]+/gu, " ").slice(0, 100);

function judgeSubmodule({ path: file, before, after }: DiffEntry): readonly KeyedFinding[] {
  if (after?.kind !== "submodule" || before?.kind === "submodule") return [];
  const message = "The submodule is new, and its files cannot be checked here.";
  return [{ rule: "submodule", file, key: "new", message }];
}

/** With fewer deletions, a percentage of a small project says little. */
const TOO_FEW_FOR_PERCENT = 5;

function judgeDeletions(
  work: readonly DiffEntry[],
  filesBefore: number | undefined,
  limits: DiffRules["limits"],
): readonly KeyedFinding[] {
  const deleted = work.filter(({ status }) => status === "deleted").length;
  if (deleted > limits.maxDeletedFiles) {
    return [
      over(
        "deletions",
        `${deleted} files are deleted`,
        "max_deleted_files",
        limits.maxDeletedFiles,
      ),
    ];
  }
  if (deleted < TOO_FEW_FOR_PERCENT || filesBefore === undefined) return [];
  const percent = (deleted / Math.max(1, filesBefore)) * 100;
  if (percent <= limits.maxDeletedPercent) return [];
  const fact = `${Math.round(percent)} % of all files are deleted (${deleted} of ${filesBefore})`;
  return [over("deletions", fact, "max_deleted_percent", limits.maxDeletedPercent)];
}

const over = (
  rule: KeyedFinding["rule"],
  fact: string,
  setting: string,
  most: number,
): KeyedFinding => ({
  rule,
  key: setting,
  message: `${fact}; maximum: ${most} (\`gate.${setting}\`).`,
});

const BYTES_PER_KB = 1024;

function judgeBinaries(
  files: readonly DiffEntry[],
  { maxBinaryKb }: DiffRules["limits"],
): readonly KeyedFinding[] {
  const binaries = files.filter(({ isBinary, after }) => isBinary && after !== undefined);
  const kb = (bytes: number): number => Math.ceil(bytes / BYTES_PER_KB);
  const large = binaries.filter(({ bytes }) => bytes > maxBinaryKb * BYTES_PER_KB);
  if (large.length > 0) {
    return large.map(({ path: file, bytes }) => ({
      ...over("binary", `The file is binary and has ${kb(bytes)} kB`, "max_binary_kb", maxBinaryKb),
      file,
    }));
  }
  const total = binaries.reduce((sum, { bytes }) => sum + bytes, 0);
  if (total <= maxBinaryKb * BYTES_PER_KB) return [];
  const fact = `${binaries.length} binary files have ${kb(total)} kB together`;
  return [over("binary", fact, "max_binary_kb", maxBinaryKb)];
}

function judgeSize(
  work: readonly DiffEntry[],
  limits: DiffRules["limits"],
): readonly KeyedFinding[] {
  const lines = work
    // Deleted files have their own rule.
    .filter(({ path, status }) => status !== "deleted" && !isLockFile(path))
    .reduce((sum, { addedLines, deletedLines }) => sum + addedLines + deletedLines, 0);
  const { maxFiles, maxLines } = limits;
  return [
    ...(work.length > maxFiles
      ? [over("size", `${work.length} files are changed`, "max_files", maxFiles)]
      : []),
    ...(lines > maxLines
      ? [over("size", `${lines} lines are changed`, "max_lines", maxLines)]
      : []),
  ];
}

/** Text that is too large to search is reported. */
function judgeSearchable({ path: file, isBinary, bytes }: DiffEntry): readonly KeyedFinding[] {
  if (isBinary || bytes <= MAX_TEXT_BYTES) return [];
  const message = `The file is too large to be searched for secrets (${Math.round(bytes / 1e6)} MB of text).`;
  return [{ rule: "secret", file, key: "unsearched", message }];
}
