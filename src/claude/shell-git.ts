// What a git command does to the work of others: all worktrees share one repository, with its branches,
// its stash and its memory of lost commits. Inside its own worktree, git is the agent's to use.

import type { Refusal } from "./scope-paths.ts";
import { quote } from "./scope-rules.ts";
import { argumentsOf, type Arguments, type Words } from "./shell-arguments.ts";
import { isPlain } from "./shell-words.ts";

export interface GitUse {
  /** Folders that it goes to first, one after the other. */
  readonly folders: Words;
  /** Places that it changes, seen from there. */
  readonly changes: Words;
  /** What of the shared repository it would change, and why it may not. */
  readonly refusal: SharedRefusal | undefined;
}

interface SharedRefusal extends Refusal {
  readonly what: string;
}

export function gitUse(args: Words, storyId: string): GitUse {
  const around = argumentsOf(args, "+ C c git-dir work-tree");
  const [command = "", ...rest] = around.operands;
  const given = argumentsOf(rest, command === "branch" ? "u" : "b B c C m o depth");
  const { operands } = given;
  // The folder that `.git` is in tells whose repository it is.
  const places = [...around.values("git-dir"), ...around.values("work-tree")];
  const changed = [".", ...places.map((path) => path.replace(/(^|\/)\.git\/?$/, "$1."))];
  const made = command === "clone" ? operands.slice(1) : command === "init" ? operands : [];
  return {
    folders: around.values("C"),
    changes: isChange(command, given) ? changed : made,
    refusal: refusalOfShared(command, given, `story/${storyId}`),
  };
}

const CHANGING =
  /^(?:add|am|apply|checkout|cherry-pick|clean|commit|merge|mv|pull|rebase|reset|restore|revert|rm|stash|switch)$/;

const isChange = (command: string, { operands: [first = ""], has }: Arguments): boolean =>
  CHANGING.test(command) && !/^(?:list|show)$/.test(first) && !has("dry-run");

function refusalOfShared(
  command: string,
  { operands, has, values }: Arguments,
  own: string,
): SharedRefusal | undefined {
  const [first = ""] = operands;
  switch (command) {
    case "worktree":
      return /^(?:list)?$/.test(first) ? undefined : WORKTREES;
    case "branch":
      if (has("d", "D", "delete")) return ofRefs(operands, "");
      // With one name, it is the own branch that gets it.
      if (has("m", "M", "move")) return ofRefs(operands.length < 2 ? [own] : operands, "");
      return has("f", "force") ? ofRefs([first], own) : undefined;
    case "checkout":
    case "switch":
      // Commits would go there; with more behind it, files are taken from there.
      return has("b", "c", "d", "detach") || operands.length > 1
        ? undefined
        : ofRefs([first, ...values("B", "C")], own);
    case "update-ref":
      return ofRefs([first], has("d") ? "" : own);
    case "symbolic-ref":
      return ofRefs(operands, own);
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
  const refs = has("mirror", "all") ? ["*"] : operands.slice(1);
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

/** Those of these refs that Saga needs as they are; the one that is the story's own may pass. */
function ofRefs(refs: Words, own: string): SharedRefusal | undefined {
  for (const ref of refs) {
    const branch = ref.replace(/^(refs\/)?heads\//, "");
    if (/^(story|epic|refs\/saga)\//.test(branch) && branch !== own && isPlain(ref)) {
      return {
        what: quote(ref),
        because: "Saga needs it as it is, for a story or an epic",
        instead: "Commit on the branch of this story, and leave the others.",
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
  instead: "Leave its entries there: `git stash apply` takes one without removing it.",
};

const LOST: SharedRefusal = {
  what: "what git keeps of lost commits",
  because: "other stories may have to be recovered from it",
  instead: "Leave cleaning up to git.",
};
