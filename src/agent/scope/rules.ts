// What a story's agent may change, read and search, said of places on the disk: links are followed
// already. The reasons are the ends of sentences.

import { below, fold, identify, lookalike, type Ground } from "./roots.ts";
import { follow, type ResolvedPath, type PathRefusal } from "./resolve.ts";

export type Purpose =
  | "change"
  | "read"
  /** Reads all that lies below. */
  | "search"
  /** A tool of others: what it does is unknown, and outside the project none of our business. */
  | "use";

export function refusalOf(
  ground: Ground,
  purpose: Purpose,
  place: ResolvedPath,
): PathRefusal | undefined {
  const refusal = ordinaryRefusal(ground, purpose, place);
  if (refusal !== undefined || !isHidden(ground, purpose, place.path)) return refusal;
  return { ...outside(ground.scope.worktree), because: "Saga keeps there what no agent may see" };
}

function ordinaryRefusal(
  ground: Ground,
  purpose: Purpose,
  place: ResolvedPath,
): PathRefusal | undefined {
  switch (purpose) {
    case "change":
      return changeRefusal(ground, place);
    case "use":
      return useRefusal(ground, place);
    case "read":
    case "search":
      return readRefusal(ground, purpose, place.path);
  }
}

/** A search that starts further up comes through it all the same. */
const isHidden = (ground: Ground, purpose: Purpose, path: string): boolean =>
  (ground.scope.hidden ?? []).some(
    (folder) =>
      below(ground, folder, path) !== undefined ||
      (purpose === "search" && below(ground, path, folder) !== undefined),
  );

export const useRefusal = (ground: Ground, place: ResolvedPath): PathRefusal | undefined =>
  isOurs(ground, place.path) ? changeRefusal(ground, place) : undefined;

export function changeRefusal(
  ground: Ground,
  { path, links }: ResolvedPath,
): PathRefusal | undefined {
  const { worktree, storyId } = ground.scope;
  const names = below(ground, worktree, path);
  if (names === undefined) {
    const { readable, writable = [] } = ground.scope;
    if (writable.some((folder) => below(ground, folder, path)?.length)) return undefined;
    if (readable.some((folder) => below(ground, folder, path) !== undefined)) {
      return {
        because: "it is shared with the project's main checkout, to be read only",
        instead: `Change files of ${quote(worktree)} itself.`,
      };
    }
    return isOurs(ground, path) ? elsewhere(ground, changeRefusal, path) : outside(worktree);
  }
  // A link called `.git` is no less git's own, wherever it leads.
  const ways = [names, ...links.map((link) => below(ground, worktree, link) ?? [])];
  if (ways.some((way) => way.some((name) => lookalike(name) === ".git"))) {
    return { because: "`.git` belongs to git", instead: GIT_COMMANDS };
  }
  return !isIn(ground, names, SAGA) || isOwnStory(ground, names)
    ? undefined
    : {
        because: "of `.saga` this story may change its own folder only",
        instead: `Its folder is ${quote(`${worktree}/.saga/stories/${storyId}`)}.`,
      };
}

/**
 * A search that starts further up comes through other stories all the same. They are no secret: this
 * keeps an agent's mind on its own.
 */
function readRefusal(ground: Ground, purpose: Purpose, path: string): PathRefusal | undefined {
  const { project, worktree, storyId } = ground.scope;
  const names = below(ground, worktree, path);
  if (names !== undefined) {
    const isStory = isIn(ground, names.slice(1), OF_OTHERS) || storyIn(names) !== undefined;
    return isIn(ground, names, SAGA) && isStory && !isOwnStory(ground, names)
      ? {
          because: "other stories, the archive and other worktrees are not part of this story",
          instead: `Its folder is ${quote(`${worktree}/.saga/stories/${storyId}`)}.`,
        }
      : undefined;
  }
  if (!isOurs(ground, path)) {
    const isAbove = [project, ground.saga].some((folder) => below(ground, path, folder));
    return purpose === "search" && isAbove
      ? {
          because: "the search would go through the project's main checkout and all worktrees",
          instead: `Search in ${quote(worktree)} or a narrower folder.`,
        }
      : undefined;
  }
  return ground.scope.readable.some((folder) => opens(ground, folder, path))
    ? undefined
    : elsewhere(ground, (_, place) => readRefusal(ground, "read", place.path), path);
}

const SAGA: ReadonlySet<string> = new Set([".saga"]);
const OF_OTHERS: ReadonlySet<string> = new Set(["stories", "archive", "worktrees"]);

function isIn(ground: Ground, [name = ""]: readonly string[], set: ReadonlySet<string>): boolean {
  return set.has(ground.isCaseBlind ? lookalike(name) : name);
}

function isOwnStory(ground: Ground, names: readonly string[]): boolean {
  const story = storyIn(names);
  return names[0] === ".saga" && story === fold(ground, ground.scope.storyId);
}

/** `.saga/stories/<id>`, or the older `.saga/epics/<epic>/stories/<story>`. */
function storyIn([, kind, first, stories, second]: readonly string[]): string | undefined {
  if (kind === "stories") return first;
  return kind === "epics" && stories === "stories" && second ? `${first}--${second}` : undefined;
}

/** A folder that happens to hold `.saga` does not open it: only one inside that was named itself. */
function opens(ground: Ground, folder: string, path: string): boolean {
  if (below(ground, folder, path) === undefined) return false;
  const isState = below(ground, ground.saga, path) !== undefined;
  return !isState || below(ground, ground.saga, folder) !== undefined;
}

const GIT_COMMANDS = "Use git commands in the worktree.";

const isOurs = (ground: Ground, path: string): boolean =>
  [ground.scope.worktree, ground.scope.project, ground.saga].some(
    (folder) => below(ground, folder, path) !== undefined,
  );

const outside = (worktree: string): PathRefusal => ({
  because: "it is outside this story's worktree",
  instead: `Work on files in ${quote(worktree)}.`,
});

/** In the project, but in another copy of it: names the same file in the own one. */
const elsewhere = (ground: Ground, refuse: typeof changeRefusal, path: string): PathRefusal => ({
  because: "it is in the project's main checkout or another story's worktree",
  instead: insteadOf(ground, refuse, path),
});

function insteadOf(ground: Ground, refuse: typeof changeRefusal, path: string): string {
  const { worktree } = ground.scope;
  const names = namesInCheckout(ground, path);
  if (names?.[0] === ".git") return GIT_COMMANDS;
  const own = [worktree, ...(names ?? [])].join("/");
  const place = follow(own, ground.project);
  if (names === undefined || "because" in place) return outside(worktree).instead;
  if (isOurs(ground, place.path) && !below(ground, worktree, place.path)) {
    // What comes behind `rm` in the same command would be judged with the link still there.
    const link = quote(place.links[0] ?? own);
    return `First remove ${link}, a link that leads there, alone; then make a copy.`;
  }
  return refuse(ground, place) ? outside(worktree).instead : `Use ${quote(own)} instead.`;
}

/** Nothing where the path is beside the worktrees, and so in no checkout. */
function namesInCheckout(ground: Ground, path: string): readonly string[] | undefined {
  const inSaga = below(ground, ground.saga, path);
  if (inSaga?.[0] === "worktrees") {
    // Older worktrees lie one folder deeper.
    const names = lastNames(path, inSaga.length - 1);
    const top = [1, 2].find((depth) =>
      identify([ground.saga, "worktrees", ...names.slice(0, depth), ".git"].join("/")),
    );
    return top === undefined ? undefined : names.slice(top);
  }
  if (inSaga !== undefined) return [".saga", ...lastNames(path, inSaga.length)];
  return lastNames(path, below(ground, ground.scope.project, path)?.length ?? 0);
}

/** As they were written, not as they are compared. */
const lastNames = (path: string, count: number): readonly string[] =>
  count === 0 ? [] : path.split("/").slice(-count);

/** Why an agent may not add or remove a worktree. */
export const WORKTREES: PathRefusal = {
  because: "Saga manages it, with one worktree for each story",
  instead: "Work in the worktree of this story.",
};

const LONGEST_QUOTE = 300;

/** Quoted, so that a line break in a name cannot pass for a sentence of ours. */
export const quote = (path: string): string =>
  JSON.stringify(path.length > LONGEST_QUOTE ? `${path.slice(0, LONGEST_QUOTE)}…` : path);
