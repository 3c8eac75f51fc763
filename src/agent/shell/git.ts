// What a git command changes outside the story. All worktrees share one repository, with its branches, its stash and
// its unreachable commits; inside its own worktree, an agent uses git freely.

import { existsSync, readFileSync } from "node:fs";
import { below, type ScopeRoots } from "../scope/roots.ts";
import { follow, parentOf } from "../scope/resolve.ts";
import { quote, WORKTREES } from "../scope/rules.ts";
import type { ShellRefusal } from "./targets.ts";
import { parseArguments, type Arguments } from "./programs.ts";
import { UNKNOWN } from "./parse.ts";

export interface GitCommand {
  /** The folders of `-C`, each seen from the one before. */
  readonly folders: readonly string[];
  readonly name: string;
  readonly args: Arguments;
}

const VALUED = "b B c C m o depth onto";

export function parseGit(words: readonly string[]): GitCommand {
  const folders: string[] = [];
  let at = 0;
  for (let word = words[at]; word?.startsWith("-"); word = words[at]) {
    if (word === "-C") folders.push(words[at + 1] ?? "");
    at += /^-[Cc]$/.test(word) ? 2 : 1;
  }
  const name = words[at] ?? "";
  return {
    folders,
    name,
    args: parseArguments(words.slice(at + 1), name === "branch" ? "u" : VALUED),
  };
}

const CHANGES_FILES =
  /^(?:add|am|apply|checkout|cherry-pick|clean|commit|merge|mv|pull|rebase|reset|restore|revert|rm|stash|switch)$/;

export const changesFiles = ({ name, args: { operands, has } }: GitCommand): boolean =>
  CHANGES_FILES.test(name) && !/^(?:list|show)$/.test(operands[0] ?? "") && !has("dry-run");

/** Why a command may not run in the repository that all stories share. */
export function refusalInShared(
  { scope }: ScopeRoots,
  { name, args: { operands, has, values } }: GitCommand,
): ShellRefusal | undefined {
  const [first = "", ...rest] = operands;
  const own = `story/${scope.storyId}`;
  const protectedRef = (refs: readonly string[], isOwnFree: boolean): ShellRefusal | undefined =>
    refusalOfRefs(
      refs.filter((ref) => !isOwnFree || ref !== own),
      mainBranch(scope.project),
    );
  switch (name) {
    case "worktree":
      return /^(?:list)?$/.test(first)
        ? undefined
        : { what: "the list of worktrees", ...WORKTREES };
    case "branch":
      if (has("d", "D", "delete")) return protectedRef(operands, false);
      // A single name renames the current branch.
      if (has("m", "M", "move")) return protectedRef(rest.length > 0 ? operands : [own], false);
      return has("f", "force") ? protectedRef([first], true) : undefined;
    case "checkout":
    case "switch": {
      const reset = values("B", "C");
      if (reset.length > 0) return protectedRef(reset, true);
      const isOther = has("b", "c", "d", "detach", "create", "orphan", "p", "patch");
      // With more operands it takes files from there.
      return isOther || rest.length > 0 ? undefined : protectedRef([first], true);
    }
    case "push":
      return refusalOfPush(has("mirror", "all", "delete") ? [...rest, "*"] : rest, own);
    case "stash":
      return /^(?:drop|clear)$/.test(first) ? STASH : undefined;
    case "gc":
      return has("prune") ? UNREACHABLE : undefined;
    case "prune":
      return UNREACHABLE;
    case "reflog":
      return /^(?:expire|delete)$/.test(first) ? UNREACHABLE : undefined;
    default:
      return undefined;
  }
}

/** Other branches of the remote may only get what has passed the gate. */
function refusalOfPush(refs: readonly string[], own: string): ShellRefusal | undefined {
  for (const ref of refs) {
    const target = ref.replace(/^\+|.*:/g, "");
    const isOwn = ["HEAD", "@", own, `refs/heads/${own}`].includes(target);
    if (!isOwn && !target.includes(UNKNOWN)) {
      return {
        what: `${quote(target)} of the remote`,
        because: "it holds the work of others",
        instead: `Push ${quote(own)} only.`,
      };
    }
  }
  return undefined;
}

const PROTECTED = /^(?:story|epic)\/|^(?:main|master|trunk|develop)$/;

function refusalOfRefs(
  refs: readonly string[],
  main: string | undefined,
): ShellRefusal | undefined {
  const ref = refs.find((name) => PROTECTED.test(name) || name === main);
  return ref === undefined
    ? undefined
    : {
        what: quote(ref),
        because: "Saga needs it unchanged",
        instead: "Commit on the branch of this story.",
      };
}

const STASH: ShellRefusal = {
  what: "the stash",
  because: "all worktrees share it, and an entry may belong to another story",
  instead: "Use `git stash apply`, which keeps the entry.",
};

const UNREACHABLE: ShellRefusal = {
  what: "git's unreachable commits",
  because: "other stories may have to be recovered from them",
  instead: "Leave cleaning up to git.",
};

/** Whether a folder belongs to the repository of all stories, and not to one of its own such as a submodule. */
export function isShared(roots: ScopeRoots, folder: string): boolean {
  const { project, worktree } = roots.scope;
  const place = follow(folder, roots.project);
  let top = "because" in place ? folder : place.path;
  while (top !== "" && !isRepository(top)) top = parentOf(top);
  if (top === "") return false;
  // The project may be a folder of a larger repository.
  if ([project, worktree].some((path) => below(roots, top, path))) return true;
  return !below(roots, worktree, top) && !!below(roots, `${roots.saga}/worktrees`, top);
}

/** `HEAD` is in a bare repository. */
const isRepository = (folder: string): boolean =>
  existsSync(`${folder}/.git`) || existsSync(`${folder}/HEAD`);

/** The branch of the main checkout, usually the target of all stories. */
function mainBranch(project: string): string | undefined {
  try {
    return /^ref: refs\/heads\/(.+)/.exec(readFileSync(`${project}/.git/HEAD`, "utf8"))?.[1];
  } catch {
    // In a larger repository, or a worktree, it is elsewhere.
    return undefined;
  }
}
