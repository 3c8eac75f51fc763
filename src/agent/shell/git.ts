// What a git command does to the work of others: all worktrees share one repository, with its branches,
// its stash and its memory of lost commits. Inside its own worktree, git is the agent's to use.

import type { Refusal } from "../scope/resolve.ts";
import { quote } from "../scope/rules.ts";
import { argumentsOf, type Arguments, type Words } from "./arguments.ts";
import { isPlain } from "./words.ts";

export interface GitUse {
  /** Folders that it goes to first, one after the other. */
  readonly folders: Words;
  /** Places that it changes, seen from there. */
  readonly changes: Words;
  /** Folders that a repository is made in. */
  readonly made: Words;
  /** Where its repository is, when it was told. */
  readonly repository: string | undefined;
  /** What of a repository that others share it would change, and why it may not. */
  readonly refusal: (branches: Branches) => SharedRefusal | undefined;
}

export interface Branches {
  /** The story's. */
  readonly own: string;
  /** The one that the main checkout is on. */
  readonly main: string | undefined;
}

interface SharedRefusal extends Refusal {
  readonly what: string;
}

const VALUED = "b B c C m o depth onto force-create";

export function gitUse(args: Words): GitUse {
  const around = argumentsOf(args, "+ C c git-dir work-tree");
  const [command = "", ...rest] = around.operands;
  const given = argumentsOf(rest, command === "branch" ? "u" : VALUED);
  const [first = "", second] = given.operands;
  const trees = around.values("work-tree", "git_work_tree");
  // The folder that `.git` is in tells whose repository it is. An option outweighs a variable.
  const repositories = around
    .values("git-dir", "git_dir")
    .map((path) => path.replace(/(^|\/)\.git\/?$/, "$1."));
  const name = first.split(/[/:]/).findLast((part) => !/^(?:\.git)?$/.test(part)) ?? "";
  const cloned = second ?? name.replace(/\.git$/, "");
  const made = command === "clone" ? [cloned] : command === "init" ? [first || "."] : [];
  return {
    folders: around.values("C"),
    changes: isChange(command, given) ? [".", ...trees, ...repositories] : made,
    made,
    repository: repositories.at(-1),
    refusal: (branches) => refusalOfShared(command, given, branches),
  };
}

const CHANGING =
  /^(?:add|am|apply|checkout|cherry-pick|clean|commit|merge|mv|pull|rebase|reset|restore|revert|rm|stash|switch)$/;

const isChange = (command: string, { operands: [first = ""], has }: Arguments): boolean =>
  CHANGING.test(command) && !/^(?:list|show)$/.test(first) && !has("dry-run");

function refusalOfShared(
  command: string,
  { operands, has, values }: Arguments,
  branches: Branches,
): SharedRefusal | undefined {
  const [first = "", ...rest] = operands;
  const forced = values("B", "C", "force-create");
  const { own } = branches;
  /** For what the own branch may not suffer either. */
  const all = { ...branches, own: "" };
  switch (command) {
    case "worktree":
      return /^(?:list)?$/.test(first) ? undefined : WORKTREES;
    case "branch":
      if (has("d", "D", "delete")) return ofRefs(operands, all);
      // With one name, it is the own branch that gets it.
      if (has("m", "M", "move")) return ofRefs(rest.length === 0 ? [own] : operands, all);
      if (has("C")) return ofRefs(operands.slice(-1), branches);
      return has("f", "force") ? ofRefs([first], branches) : undefined;
    case "checkout":
    case "switch":
      if (forced.length > 0) return ofRefs(forced, branches);
      // Commits would go there; with more behind it, files are taken from there, as those are that
      // have a name such as `release-notes.md`.
      return has("b", "c", "d", "detach", "create", "orphan", "p", "patch") ||
        rest.length > 0 ||
        first.startsWith("release")
        ? undefined
        : ofRefs([first], branches);
    case "rebase":
      return ofRefs(rest, branches);
    case "fetch":
    case "pull":
      return ofRefs(
        rest.flatMap((ref) => /:(.+)/.exec(ref)?.[1] ?? []),
        branches,
      );
    case "update-ref":
      return ofRefs([first], has("d") ? all : branches);
    case "symbolic-ref":
      return ofRefs(operands, branches);
    case "push":
      return ofPush({ operands, has, values }, own);
    case "stash":
      return /^(?:drop|clear)$/.test(first) ? STASH : undefined;
    case "gc":
      return values("prune").some(Boolean) ? LOST : undefined;
    case "prune":
      return has("n") ? undefined : LOST;
    case "reflog":
      return /^(?:expire|delete)$/.test(first) ? LOST : undefined;
    default:
      return undefined;
  }
}

/** What has not passed the gates reaches no branch but the story's own. */
function ofPush({ operands, has }: Arguments, own: string): SharedRefusal | undefined {
  const refs = has("mirror", "all", "branches") ? ["*"] : operands.slice(has("repo") ? 0 : 1);
  for (const ref of refs) {
    const target = ref.replace(/^\+|.*:/g, "");
    const isOwn = ["HEAD", "@", own, `refs/heads/${own}`].includes(target);
    if (!isOwn && isPlain(target)) {
      return {
        what: `${quote(target)} of the remote`,
        because: "the work of others is there",
        instead: `Push ${quote(own)} only.`,
      };
    }
  }
  return undefined;
}

/** Branches of others by their names; the agent may have made any other itself. */
const KEPT = /^(?:(?:story|epic|refs\/saga)\/|(?:main|master|trunk|develop|release.*|\*)$)/;

/** Those of these refs that Saga needs as they are; the one that is the story's own may pass. */
function ofRefs(refs: Words, { own, main }: Branches): SharedRefusal | undefined {
  for (const ref of refs) {
    const branch = ref.replace(/^(refs\/)?heads\//, "");
    if ((KEPT.test(branch) || branch === main) && branch !== own && isPlain(ref)) {
      return {
        what: quote(ref),
        because: "Saga needs it as it is",
        instead: "Commit on the branch of this story.",
      };
    }
  }
  return undefined;
}

const WORKTREES: SharedRefusal = {
  what: "the list of worktrees",
  because: "Saga keeps it, with one for each story",
  instead: "Work in the one that this story has.",
};

const STASH: SharedRefusal = {
  what: "the stash",
  because: "all worktrees share it, and an entry may be another story's",
  instead: "Take one with `git stash apply`, which leaves it there.",
};

const LOST: SharedRefusal = {
  what: "what git keeps of lost commits",
  because: "other stories may have to be recovered from it",
  instead: "Leave cleaning up to git.",
};
