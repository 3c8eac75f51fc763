// What a story's agent may change, read and search, for paths whose links are already followed. `because`
// is the end of a sentence.

import { below, fold, identify, lookalike, type ScopeRoots } from "./roots.ts";
import { follow, type ResolvedPath, type PathRefusal } from "./resolve.ts";

export type Purpose =
  | "change"
  | "read"
  /** Reads everything below. */
  | "search"
  /** Another vendor's tool: what it does is unknown, and outside the project it is free. */
  | "use";

export function refusalOf(
  roots: ScopeRoots,
  purpose: Purpose,
  place: ResolvedPath,
): PathRefusal | undefined {
  const refusal = ordinaryRefusal(roots, purpose, place);
  if (refusal !== undefined || !isHidden(roots, purpose, place.path)) return refusal;
  return {
    ...outside(roots.scope.worktree),
    because: "Saga keeps its keys there, and no agent may read them",
  };
}

function ordinaryRefusal(
  roots: ScopeRoots,
  purpose: Purpose,
  place: ResolvedPath,
): PathRefusal | undefined {
  switch (purpose) {
    case "change":
      return changeRefusal(roots, place);
    case "use":
      return useRefusal(roots, place);
    case "read":
    case "search":
      return readRefusal(roots, purpose, place.path);
  }
}

/** A search that starts further up reaches a hidden folder too. */
const isHidden = (roots: ScopeRoots, purpose: Purpose, path: string): boolean =>
  (roots.scope.hidden ?? []).some(
    (folder) =>
      below(roots, folder, path) !== undefined ||
      (purpose === "search" && below(roots, path, folder) !== undefined),
  );

export const useRefusal = (roots: ScopeRoots, place: ResolvedPath): PathRefusal | undefined =>
  isInProject(roots, place.path) ? changeRefusal(roots, place) : undefined;

export function changeRefusal(
  roots: ScopeRoots,
  { path, links }: ResolvedPath,
): PathRefusal | undefined {
  const { worktree, storyId } = roots.scope;
  const names = below(roots, worktree, path);
  if (names === undefined) {
    const { readable, writable = [] } = roots.scope;
    if (writable.some((folder) => below(roots, folder, path)?.length)) return undefined;
    if (readable.some((folder) => below(roots, folder, path) !== undefined)) {
      return {
        because: "it is shared with the project's main checkout and read-only",
        instead: `Change files of ${quote(worktree)} itself.`,
      };
    }
    return isInProject(roots, path) ? elsewhere(roots, changeRefusal, path) : outside(worktree);
  }
  // A link named `.git` is protected too, wherever it leads.
  const ways = [names, ...links.map((link) => below(roots, worktree, link) ?? [])];
  if (ways.some((way) => way.some((name) => lookalike(name) === ".git"))) {
    return { because: "`.git` belongs to git", instead: GIT_COMMANDS };
  }
  return !isIn(roots, names, SAGA) || isOwnStory(roots, names)
    ? undefined
    : {
        because: "in `.saga` this story may only change its own folder",
        instead: `Its folder is ${quote(`${worktree}/.saga/stories/${storyId}`)}.`,
      };
}

/**
 * A search that starts further up finds other stories too. They are not secret: this only keeps an agent
 * focused on its own story.
 */
function readRefusal(roots: ScopeRoots, purpose: Purpose, path: string): PathRefusal | undefined {
  const { project, worktree, storyId } = roots.scope;
  const names = below(roots, worktree, path);
  if (names !== undefined) {
    const isStory = isIn(roots, names.slice(1), OTHERS_FOLDERS) || storyIn(names) !== undefined;
    return isIn(roots, names, SAGA) && isStory && !isOwnStory(roots, names)
      ? {
          because: "other stories, the archive and other worktrees are not part of this story",
          instead: `Its folder is ${quote(`${worktree}/.saga/stories/${storyId}`)}.`,
        }
      : undefined;
  }
  if (!isInProject(roots, path)) {
    const isAbove = [project, roots.saga].some((folder) => below(roots, path, folder));
    return purpose === "search" && isAbove
      ? {
          because: "the search would go through the project's main checkout and all worktrees",
          instead: `Search in ${quote(worktree)} or a narrower folder.`,
        }
      : undefined;
  }
  return roots.scope.readable.some((folder) => makesReadable(roots, folder, path))
    ? undefined
    : elsewhere(roots, (_, place) => readRefusal(roots, "read", place.path), path);
}

const SAGA: ReadonlySet<string> = new Set([".saga"]);
const OTHERS_FOLDERS: ReadonlySet<string> = new Set(["stories", "archive", "worktrees"]);

function isIn(
  roots: ScopeRoots,
  [name = ""]: readonly string[],
  set: ReadonlySet<string>,
): boolean {
  return set.has(roots.isCaseBlind ? lookalike(name) : name);
}

function isOwnStory(roots: ScopeRoots, names: readonly string[]): boolean {
  const story = storyIn(names);
  return names[0] === ".saga" && story === fold(roots, roots.scope.storyId);
}

/** `.saga/stories/<id>`, or the older `.saga/epics/<epic>/stories/<story>`. */
function storyIn([, kind, first, stories, second]: readonly string[]): string | undefined {
  if (kind === "stories") return first;
  return kind === "epics" && stories === "stories" && second ? `${first}--${second}` : undefined;
}

/** A readable folder that contains `.saga` does not make `.saga` readable; a folder inside it may. */
function makesReadable(roots: ScopeRoots, folder: string, path: string): boolean {
  if (below(roots, folder, path) === undefined) return false;
  const isState = below(roots, roots.saga, path) !== undefined;
  return !isState || below(roots, roots.saga, folder) !== undefined;
}

const GIT_COMMANDS = "Use git commands in the worktree.";

const isInProject = (roots: ScopeRoots, path: string): boolean =>
  [roots.scope.worktree, roots.scope.project, roots.saga].some(
    (folder) => below(roots, folder, path) !== undefined,
  );

const outside = (worktree: string): PathRefusal => ({
  because: "it is outside this story's worktree",
  instead: `Work on files in ${quote(worktree)}.`,
});

/** In the project, but in another checkout: suggests the same file in the story's worktree. */
const elsewhere = (roots: ScopeRoots, refuse: typeof changeRefusal, path: string): PathRefusal => ({
  because: "it is in the project's main checkout or another story's worktree",
  instead: insteadOf(roots, refuse, path),
});

function insteadOf(roots: ScopeRoots, refuse: typeof changeRefusal, path: string): string {
  const { worktree } = roots.scope;
  const names = namesInCheckout(roots, path);
  if (names?.[0] === ".git") return GIT_COMMANDS;
  const own = [worktree, ...(names ?? [])].join("/");
  const place = follow(own, roots.project);
  if (names === undefined || "because" in place) return outside(worktree).instead;
  if (isInProject(roots, place.path) && !below(roots, worktree, place.path)) {
    // In the same command, what follows `rm` would be judged while the link still exists.
    const link = quote(place.links[0] ?? own);
    return `First remove the link ${link} with a command of its own; then make a copy.`;
  }
  return refuse(roots, place) ? outside(worktree).instead : `Use ${quote(own)} instead.`;
}

/** Undefined if the path is beside the worktrees, and so in no checkout. */
function namesInCheckout(roots: ScopeRoots, path: string): readonly string[] | undefined {
  const inSaga = below(roots, roots.saga, path);
  if (inSaga?.[0] === "worktrees") {
    // Worktrees of older versions are one folder deeper.
    const names = lastNames(path, inSaga.length - 1);
    const top = [1, 2].find((depth) =>
      identify([roots.saga, "worktrees", ...names.slice(0, depth), ".git"].join("/")),
    );
    return top === undefined ? undefined : names.slice(top);
  }
  if (inSaga !== undefined) return [".saga", ...lastNames(path, inSaga.length)];
  return lastNames(path, below(roots, roots.scope.project, path)?.length ?? 0);
}

/** As written, not folded. */
const lastNames = (path: string, count: number): readonly string[] =>
  count === 0 ? [] : path.split("/").slice(-count);

/** Why an agent may not add or remove a worktree. */
export const WORKTREES: PathRefusal = {
  because: "Saga manages it, with one worktree for each story",
  instead: "Work in the worktree of this story.",
};

const LONGEST_QUOTE = 300;

/** Quoted, so that a name with a line break cannot pass for a sentence of Saga. */
export const quote = (path: string): string =>
  JSON.stringify(path.length > LONGEST_QUOTE ? `${path.slice(0, LONGEST_QUOTE)}…` : path);
