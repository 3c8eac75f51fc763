// Maps a changed path to the part of the project that must be read again, and decides which folders are
// watched. Pure: paths are relative to `.saga`.

import { CHANGE_COUNTER } from "../leases/lease-names.ts";
import { LANE_OUTPUT } from "../../story/landing/entry.ts";
import { idProblem, storyOfWorktree } from "../../story/definition/names.ts";
import { runId } from "../../story/state/run.ts";

export type ProjectChange =
  /** A story's files, in its checkout, worktree or archive. */
  | { readonly kind: "story"; readonly id: string }
  /** The list of stories: an entry whose name is not a story id. */
  | { readonly kind: "names" }
  | { readonly kind: "epics" }
  | { readonly kind: "runs"; readonly story: string }
  | { readonly kind: "events"; readonly story: string; readonly run: string }
  | { readonly kind: "lease"; readonly name: string }
  /** The leases of other machines of the fleet. */
  | { readonly kind: "leases" }
  | { readonly kind: "legacy" }
  | { readonly kind: "pool" }
  | { readonly kind: "lanes" }
  /** The output of the check that a lane runs. */
  | { readonly kind: "output"; readonly lane: string }
  | { readonly kind: "conflicts" }
  | { readonly kind: "settings" };

export const changeKey = (change: ProjectChange): string => Object.values(change).join(" ");

/** Undefined if no page shows the file. */
export function changeAt(path: string): ProjectChange | undefined {
  const [top, ...rest] = path.split("/");
  const [first, second, third] = rest;
  switch (top) {
    case "stories":
    case "archive":
      if (first === undefined) return { kind: "names" };
      if (isMarkdownStory(rest)) return { kind: "legacy" };
      return storyOrNames(first);
    case "worktrees":
      return changeInWorktree(rest);
    case "epics":
      return second === "stories" || second === "epic.md" ? { kind: "legacy" } : { kind: "epics" };
    case "runs":
      if (first === undefined || idProblem("story", first) !== undefined) return undefined;
      return third === "events.jsonl" && isRunId(second)
        ? { kind: "events", story: first, run: second }
        : { kind: "runs", story: first };
    case "leases":
      return first === undefined || first === CHANGE_COUNTER
        ? undefined
        : { kind: "lease", name: first };
    case "elsewhere":
      if (first === "leases.json") return { kind: "leases" };
      if (first === "lanes.json") return { kind: "lanes" };
      return first === "stories" && second !== undefined ? storyOrNames(second) : undefined;
    case "auto":
      return { kind: "pool" };
    case "queue":
      return first !== undefined && second === LANE_OUTPUT
        ? { kind: "output", lane: first }
        : { kind: "lanes" };
    case "conflicts":
      return { kind: "conflicts" };
    case "config.toml":
      return { kind: "settings" };
    default:
      return undefined;
  }
}

interface FolderFacts {
  readonly isWorktree: (path: string) => boolean;
  /** The names in the parent folder. */
  readonly siblings: () => readonly string[];
}

/** `branch`: its subfolders may be watched too. `leaf`: only its files are. */
export type WatchDepth = "branch" | "leaf" | undefined;

/**
 * How a folder is watched. A worktree is a whole checkout: only the path down to its story is watched. Of a
 * story's runs only the newest is watched: the others have ended, and there may be fifty.
 */
export function watchDepth(path: string, { isWorktree, siblings }: FolderFacts): WatchDepth {
  const [top = "", ...rest] = path.split("/");
  switch (top) {
    case "":
      return "branch";
    case "archive":
    case "conflicts":
      return rest.length === 0 ? "leaf" : undefined;
    case "stories":
    case "leases":
    case "auto":
      return (["branch", "leaf"] as const)[rest.length];
    case "elsewhere":
      if (rest.length < 2) return rest.length === 0 || rest[0] === "stories" ? "branch" : undefined;
      return rest.length === 2 ? "leaf" : undefined;
    case "runs":
      if (rest.length < 2) return "branch";
      return rest.length === 2 && isNewestRun(rest[1] ?? "", siblings()) ? "leaf" : undefined;
    case "queue":
      if (rest.length < 2) return "branch";
      return rest.length === 2 && rest[1] === LANE_OUTPUT ? "leaf" : undefined;
    case "epics":
      if (rest.length <= 1) return "branch";
      return rest[1] === "stories" ? (["branch", "leaf"] as const)[rest.length - 2] : undefined;
    case "worktrees":
      return depthInWorktree(rest, isWorktree);
    default:
      return undefined;
  }
}

function depthInWorktree(
  rest: readonly string[],
  isWorktree: (path: string) => boolean,
): WatchDepth {
  if (rest.length <= 1) return "branch";
  const { name, inside } = splitWorktree(rest);
  const [saga, stories = "stories", id] = inside;
  if (saga === undefined) {
    // `<epic>/<story>`, the older layout; inside a worktree it is an ordinary folder of the checkout.
    return rest.length === 2 && !isWorktree(`worktrees/${rest[0]}`) ? "branch" : undefined;
  }
  if (saga !== ".saga" || stories !== "stories" || inside.length > 3) return undefined;
  if (id === undefined) return "branch";
  return id === storyOfWorktree(`.saga/worktrees/${name}`) ? "leaf" : undefined;
}

/** The worktree's name, one or two folders deep, and the path inside it. */
function splitWorktree(rest: readonly string[]): { name: string; inside: readonly string[] } {
  const top = rest.findIndex((part) => part === ".saga" || part === ".git");
  const depth = top === -1 ? rest.length : top;
  return { name: rest.slice(0, depth).join("/"), inside: rest.slice(depth) };
}

function changeInWorktree(rest: readonly string[]): ProjectChange | undefined {
  const id = storyOfWorktree(`.saga/worktrees/${splitWorktree(rest).name}`);
  return id === undefined ? undefined : { kind: "story", id };
}

const isMarkdownStory = ([first = "", second]: readonly string[]): boolean =>
  second === undefined ? first.endsWith(".md") : second === "story.md";

const storyOrNames = (name: string): ProjectChange =>
  idProblem("story", name) === undefined ? { kind: "story", id: name } : { kind: "names" };

/** Run ids sort by time. Other names are skipped: the file of a stop request would always sort last. */
const isNewestRun = (name: string, names: readonly string[]): boolean =>
  names.every((other) => other <= name || !isRunId(other));

const isRunId = (name: string | undefined): name is string => runId.safeParse(name).success;
