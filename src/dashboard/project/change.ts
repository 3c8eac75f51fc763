// What a changed path is about, so that one change reads one thing again; and which folders are worth
// watching at all. Pure: paths are given as they are below `.saga`.

import { CHANGE_COUNTER } from "../../store/leases/lease-names.ts";
import { idProblem, storyOfWorktree } from "../../story/definition/names.ts";
import { runId } from "../../story/state/run.ts";

export type Subject =
  /** Its files, in whichever copy. */
  | { readonly kind: "story"; readonly id: string }
  /** Which stories there are: names that are no ids. */
  | { readonly kind: "names" }
  | { readonly kind: "epics" }
  | { readonly kind: "runs"; readonly story: string }
  | { readonly kind: "events"; readonly story: string; readonly run: string }
  | { readonly kind: "lease"; readonly name: string }
  | { readonly kind: "legacy" }
  | { readonly kind: "pool" }
  | { readonly kind: "settings" };

export const subjectKey = (subject: Subject): string => Object.values(subject).join(" ");

/** Nothing for what no page shows. */
export function subjectOf(path: string): Subject | undefined {
  const [top, ...rest] = path.split("/");
  const [first, second, third] = rest;
  switch (top) {
    case "stories":
      if (first === undefined) return { kind: "names" };
      if (isMarkdownStory(rest)) return { kind: "legacy" };
      return storyOrNames(first);
    case "archive":
      if (first === undefined) return { kind: "names" };
      if (isMarkdownStory(rest)) return { kind: "legacy" };
      return storyOrNames(first);
    case "worktrees":
      return subjectInWorktrees(rest);
    case "epics":
      return second === "stories" || second === "epic.md" ? { kind: "legacy" } : { kind: "epics" };
    case "runs":
      if (first === undefined || idProblem("story", first) !== undefined) return undefined;
      return third === "events.jsonl" && isRun(second)
        ? { kind: "events", story: first, run: second }
        : { kind: "runs", story: first };
    case "leases":
      return first === undefined || first === CHANGE_COUNTER
        ? undefined
        : { kind: "lease", name: first };
    case "auto":
      return { kind: "pool" };
    case "config.toml":
      return { kind: "settings" };
    default:
      return undefined;
  }
}

export interface FolderFacts {
  readonly isWorktree: (path: string) => boolean;
  /** The names beside this one. */
  readonly siblings: () => readonly string[];
}

/** `branch`: there may be folders in it that are watched as well. `leaf`: only its files count. */
export type Watching = "branch" | "leaf" | undefined;

/**
 * How a folder is watched. A worktree is a whole checkout: of it, only the way down to its story is. Of a
 * story's runs the newest is: the others have ended, and there may be fifty.
 */
export function watchingOf(path: string, { isWorktree, siblings }: FolderFacts): Watching {
  const [top = "", ...rest] = path.split("/");
  switch (top) {
    case "":
      return "branch";
    case "archive":
      return rest.length === 0 ? "leaf" : undefined;
    case "stories":
    case "leases":
    case "auto":
      return (["branch", "leaf"] as const)[rest.length];
    case "runs":
      if (rest.length < 2) return "branch";
      return rest.length === 2 && isNewest(rest[1] ?? "", siblings()) ? "leaf" : undefined;
    case "epics":
      if (rest.length <= 1) return "branch";
      return rest[1] === "stories" ? (["branch", "leaf"] as const)[rest.length - 2] : undefined;
    case "worktrees":
      return inWorktree(rest, isWorktree);
    default:
      return undefined;
  }
}

function inWorktree(rest: readonly string[], isWorktree: (path: string) => boolean): Watching {
  if (rest.length <= 1) return "branch";
  const { name, inside } = splitWorktree(rest);
  const [saga, stories = "stories", id] = inside;
  if (saga === undefined) {
    // `<epic>/<story>`, the older form; in a worktree it is just a folder of the checkout.
    return rest.length === 2 && !isWorktree(`worktrees/${rest[0]}`) ? "branch" : undefined;
  }
  if (saga !== ".saga" || stories !== "stories" || inside.length > 3) return undefined;
  if (id === undefined) return "branch";
  return id === storyOfWorktree(`.saga/worktrees/${name}`) ? "leaf" : undefined;
}

/** The worktree's own name, one or two folders deep, and the path from its top. */
function splitWorktree(rest: readonly string[]): { name: string; inside: readonly string[] } {
  const top = rest.findIndex((part) => part === ".saga" || part === ".git");
  const depth = top === -1 ? rest.length : top;
  return { name: rest.slice(0, depth).join("/"), inside: rest.slice(depth) };
}

function subjectInWorktrees(rest: readonly string[]): Subject | undefined {
  const id = storyOfWorktree(`.saga/worktrees/${splitWorktree(rest).name}`);
  return id === undefined ? undefined : { kind: "story", id };
}

const isMarkdownStory = ([first = "", second]: readonly string[]): boolean =>
  second === undefined ? first.endsWith(".md") : second === "story.md";

const storyOrNames = (name: string): Subject =>
  idProblem("story", name) === undefined ? { kind: "story", id: name } : { kind: "names" };

/** Their names sort by time. What else is there does not count: the mark of a stop would be the newest for ever. */
const isNewest = (name: string, names: readonly string[]): boolean =>
  names.every((other) => other <= name || !isRun(other));

const isRun = (name: string | undefined): name is string => runId.safeParse(name).success;
