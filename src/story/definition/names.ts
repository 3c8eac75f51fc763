// Every name that Saga gives to a branch, worktree, session or task list, and the way back from such a name to its
// story or epic. Older forms are recognised when read, and never written.

import { SagaError } from "../../errors.ts";

export const MAX_ID_LENGTH = 100;
export const DEFAULT_SESSION_DIR = "/tmp/saga-sessions";

const SEGMENT = "[a-z0-9]+(?:-[a-z0-9]+)*";
const ONE_LEVEL = new RegExp(`^${SEGMENT}$`);
const LEVELS = new RegExp(`^${SEGMENT}(?:--${SEGMENT})*$`);

/** Files beside the tasks of a story: no task may have their names. */
const RESERVED_TASK_IDS: ReadonlySet<string> = new Set(["story", "epic"]);

/** A worker of the pool has a branch, a worktree and runs, like a story: no story may have its name. */
const IS_POOL_NAME = /^auto-(?:\d+|daemon)$/;

export type IdKind = "epic" | "story" | "task";

/** Why the id is invalid, as the end of a sentence. Undefined when it is valid. */
export function idProblem(kind: IdKind, id: string): string | undefined {
  if (id === "") return "is empty";
  if (id.length > MAX_ID_LENGTH) return `is longer than ${MAX_ID_LENGTH} characters`;
  if (kind !== "task") {
    return LEVELS.test(id)
      ? undefined
      : "may only contain lower-case letters, digits and single dashes, with `--` between levels";
  }
  if (!ONE_LEVEL.test(id)) return "may only contain lower-case letters, digits and single dashes";
  // Claude numbers the tasks it creates itself: 1, 2, 3.
  if (/^\d+$/.test(id)) return "may not be all digits, because Claude numbers its own tasks";
  if (RESERVED_TASK_IDS.has(id)) return `is reserved: ${id}.json describes the ${id} itself`;
  return undefined;
}

/** Why a story may not have this id, as the end of a sentence. Undefined when it may. */
export function storyIdProblem(id: string): string | undefined {
  const problem = idProblem("story", id);
  if (problem !== undefined) return problem;
  return IS_POOL_NAME.test(id) ? "is reserved for the workers of the pool" : undefined;
}

export const storyPattern = (): string =>
  `^(?!${IS_POOL_NAME.source.slice(1)})${LEVELS.source.slice(1)}`;

/** The same rules as a regular expression, for JSON Schemas. */
export function idPattern(kind: IdKind): string {
  if (kind !== "task") return LEVELS.source;
  const reserved = [...RESERVED_TASK_IDS].map((id) => `${id}$`);
  return `^(?!${["\\d+$", ...reserved].join("|")})${SEGMENT}$`;
}

/** Returns a valid id. Throws an error that names the broken rule and suggests an id otherwise. */
export function requireId(kind: IdKind, id: string): string {
  return requireNoProblem(kind, id, idProblem(kind, id));
}

/** The same for the id of a new story. */
export const requireStoryName = (id: string): string =>
  requireNoProblem("story", id, storyIdProblem(id));

function requireNoProblem(kind: IdKind, id: string, problem: string | undefined): string {
  if (problem === undefined) return id;
  const nearest = suggestId(kind, id);
  const suggestion = nearest === id ? undefined : nearest;
  throw new SagaError("bad-id", `The ${kind} id ${JSON.stringify(id)} ${problem}.`, {
    hint: suggestion === undefined ? "Use a form like `add-login`." : `Try \`${suggestion}\`.`,
  });
}

/** The valid id nearest to a text, such as a title. */
export function suggestId(kind: IdKind, text: string): string | undefined {
  const plain = text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();
  const levels = kind === "task" ? [plain] : plain.split("--");
  const id = levels
    .map((level) => level.replaceAll(/[^a-z0-9]+/g, "-").replaceAll(/^-|-$/g, ""))
    .filter((level) => level !== "")
    .join("--")
    .slice(0, MAX_ID_LENGTH)
    .replace(/-+$/, "");
  return idProblem(kind, id) === undefined ? id : undefined;
}

export const storyBranch = (storyId: string): string => `story/${storyId}`;
export const epicBranch = (epicId: string): string => `epic/${epicId}`;
/** Relative to the project. */
export const storyWorktree = (storyId: string): string => `.saga/worktrees/${storyId}`;
/** Every place where a worktree of the story may be: today's, and the older `stories/<id>` and `<epic>/<story>`. */
export const storyWorktrees = (storyId: string): string[] => [
  storyWorktree(storyId),
  storyWorktree(`stories/${storyId}`),
  ...possibleEpics(storyId).map((epicId) =>
    storyWorktree(`${epicId}/${storyId.slice(epicId.length + "--".length)}`),
  ),
];
/** Where a story is merged with its target, beside the worktrees. The dot keeps it apart from stories. */
export const scratchWorktree = (storyId: string): string => storyWorktree(`merge.${storyId}`);
export const isScratchWorktree = (name: string): boolean =>
  /^merge\.(?:epic\.)?/.test(name) &&
  validStoryId(name.replace(/^merge\.(?:epic\.)?/, "")) !== undefined;
/** The name under which an epic's delivery is recorded. The dot keeps it apart from stories. */
export const epicDelivery = (epicId: string): string => `epic.${epicId}`;
/** The branch of a delivery: a story's, or an epic's. */
export const deliveredBranch = (name: string): string =>
  name.startsWith(epicDelivery(""))
    ? epicBranch(name.slice(epicDelivery("").length))
    : storyBranch(name);
export function deliveryOfBranch(branch: string): string | undefined {
  const epicId = epicOfBranch(branch);
  return epicId === undefined ? storyOfBranch(branch) : epicDelivery(epicId);
}

export function epicOfBranch(branch: string): string | undefined {
  const id = /^epic\/(?<id>.+)$/.exec(branch)?.groups?.["id"];
  return id !== undefined && idProblem("epic", id) === undefined ? id : undefined;
}
export const storySession = (storyId: string, startedAtMs: number): string =>
  `saga-story-${storyId}-${startedAtMs}`;
export const POOL_DAEMON = "auto-daemon";
/** `saga-auto-1-<ms>`, and `saga-auto-daemon-<ms>` for the daemon. */
export const poolSession = (name: string, startedAtMs: number): string =>
  `saga-${name}-${startedAtMs}`;
export const isPoolName = (id: string): boolean => IS_POOL_NAME.test(id);
export const epicSession = (epicId: string, startedAtMs: number): string =>
  `saga-epic-${epicId}-${startedAtMs}`;
export const storyTaskList = (storyId: string, startedAtMs: number): string =>
  `saga__${storyId}__${startedAtMs}`;
export const sessionOutput = (sessionDir: string, session: string): string =>
  `${sessionDir}/${session}.out`;

/** `story/<id>`, or the older `story-<story>-epic-<epic>`. */
export function storyOfBranch(branch: string): string | undefined {
  if (branch.startsWith("story/")) return validStoryId(branch.slice("story/".length));
  const older = /^story-(?<story>.+)-epic-(?<epic>.+)$/.exec(branch)?.groups;
  return older && validStoryId(`${older["epic"]}--${older["story"]}`);
}

/**
 * The story of a worktree's top folder, seen from the project: `.saga/worktrees/<id>`, or the older
 * `.saga/worktrees/stories/<id>` and `.saga/worktrees/<epic>/<story>`. A plain subfolder of the
 * first looks like the last: only pass the top folder of a worktree.
 */
export function storyOfWorktree(pathInProject: string): string | undefined {
  const [saga, worktrees, ...rest] = pathInProject.split("/").filter((part) => part !== "");
  if (saga !== ".saga" || worktrees !== "worktrees") return undefined;
  if (rest.length === 1) return validStoryId(rest[0] ?? "");
  if (rest.length !== 2) return undefined;
  const [outer = "", inner = ""] = rest;
  return validStoryId(outer === "stories" ? inner : `${outer}--${inner}`);
}

export interface SessionName {
  readonly storyId: string;
  /** Absent in the older form, which ended in a process id. */
  readonly startedAtMs?: number;
}

export const isSagaSession = (session: string): boolean => session.startsWith("saga-");

/** `saga-story-<id>-<ms>`, or the older `saga-<story>-<pid>`. */
export function storyOfSession(session: string): SessionName | undefined {
  const current = /^saga-story-(?<id>.+)-(?<ms>\d{13,})$/.exec(session)?.groups;
  if (current) {
    const storyId = validStoryId(current["id"] ?? "");
    return storyId === undefined ? undefined : { storyId, startedAtMs: Number(current["ms"]) };
  }
  if (epicOfSession(session) !== undefined) return undefined;
  const older = /^saga-(?<id>.+)-\d+$/.exec(session)?.groups;
  const storyId = older && validStoryId(older["id"] ?? "");
  return storyId === undefined ? undefined : { storyId };
}

/** `saga-epic-<id>-<ms>`: the run of an epic. Each of its stories runs in another session. */
export function epicOfSession(session: string): string | undefined {
  const id = /^saga-epic-(?<id>.+)-\d{13,}$/.exec(session)?.groups?.["id"] ?? "";
  return idProblem("epic", id) === undefined ? id : undefined;
}

/** `saga__<id>__<ms>`, or the older `saga__<id>`. */
export function storyOfTaskList(taskListId: string): string | undefined {
  const match = /^saga__(?<id>[a-z0-9-]+)(?:__\d+)?$/.exec(taskListId)?.groups;
  return match && validStoryId(match["id"] ?? "");
}

/** The variable that marks every process of a worker's run. */
export const RUN_MARK = "SAGA_RUN_ID";

type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

/** The story that a process was started for, by the current variable, its alias or the older pair. */
export function storyOfEnvironment(env: EnvironmentVariables): string | undefined {
  const id = env["SAGA_STORY_ID"] || env["SAGA_STORY_PATH"];
  if (id) return validStoryId(id);
  const epic = env["SAGA_EPIC_SLUG"];
  const story = env["SAGA_STORY_SLUG"];
  return epic && story ? validStoryId(`${epic}--${story}`) : undefined;
}

/** Whether a command was started by an agent: one of Saga's, or a person's own session of Claude Code. */
export const isAgentEnvironment = (env: EnvironmentVariables): boolean =>
  Boolean(env["CLAUDECODE"] || env[RUN_MARK]) || storyOfEnvironment(env) !== undefined;

interface StoryEnvironment {
  readonly storyId: string;
  readonly taskListId: string;
  readonly projectDir: string;
  readonly sessionDir: string;
}

/** The variables that a story's agent and its tools see. */
export function environmentOfStory(story: StoryEnvironment): Record<string, string> {
  return {
    SAGA_STORY_ID: story.storyId,
    SAGA_STORY_PATH: story.storyId,
    SAGA_STORY_TASK_LIST_ID: story.taskListId,
    SAGA_PROJECT_DIR: story.projectDir,
    SAGA_TASK_CONTEXT: "story-worktree",
    SAGA_SESSION_DIR: story.sessionDir,
  };
}

/** `user-auth--api--tokens` belongs to `user-auth--api` or to `user-auth`, nearest first. */
export function possibleEpics(storyId: string): string[] {
  const levels = storyId.split("--");
  return levels.slice(1).map((_, cut) => levels.slice(0, levels.length - 1 - cut).join("--"));
}

const validStoryId = (id: string): string | undefined =>
  idProblem("story", id) === undefined ? id : undefined;
