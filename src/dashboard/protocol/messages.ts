// What the dashboard's server and its page say to each other. Types only: both sides import them.
//
// The page opens one WebSocket, `/api/live`. It is sent everything once (`snapshot`) and then only what changed
// (`change`), each with a number one higher than the one before. Whoever finds a gap asks for a snapshot
// again. Details (`protocol-details.ts`) are fetched, and fetched again when the `version` of their entity has
// changed. Logs are followed by offset, so that a line is never missed or doubled. What a person wants done is
// asked for (`protocol-acts.ts`).
//
// The browser is let in by a cookie, which the printed address (`/?key=…`) is turned into once. Without it
// every address below `/api/` answers 401, and 403 when Host or Origin are not the dashboard's own.

import type { Attention } from "../../story/state/attention.ts";
import type { PoolTaskState } from "../../tasks/view.ts";
import type { RunEvent } from "../../story/state/run.ts";
import type { RunOutcome, StoryState } from "../../story/state/state.ts";
import type { Status } from "../../story/definition/status.ts";

/** Everything on show, by a key of the form `<kind>:<id>`. */
export interface Entities {
  readonly stories: Readonly<Record<string, StoryCard>>;
  readonly epics: Readonly<Record<string, EpicCard>>;
  readonly sessions: Readonly<Record<string, SessionCard>>;
  readonly pool: Readonly<Record<string, PoolCard>>;
  readonly problems: Readonly<Record<string, ProblemCard>>;
  /** One entry, `project`. */
  readonly project: Readonly<Record<string, ProjectCard>>;
}
export type Kind = keyof Entities;

export type ToPage =
  | {
      readonly type: "snapshot";
      readonly sequence: number;
      readonly entities: Entities;
      /** For requests that change something. */
      readonly token: string;
      readonly version: string;
    }
  | {
      readonly type: "change";
      readonly sequence: number;
      readonly changes: readonly EntityChange[];
    }
  | {
      readonly type: "log";
      readonly story: string;
      readonly run: string;
      /**
       * Where these events begin and where to read on, in bytes. They follow the ones before, also where
       * `from` is lower than the last `next`: then the file was begun anew.
       */
      readonly from: number;
      readonly next: number;
      readonly events: readonly RunEvent[];
    };

/** Nothing: it is gone. */
export type EntityChange = {
  readonly [K in Kind]: {
    readonly kind: K;
    readonly id: string;
    readonly value: Entities[K][string] | null;
  };
}[Kind];

export type FromPage =
  | { readonly type: "snapshot" }
  | { readonly type: "follow"; readonly story: string; readonly run: string; readonly from: number }
  | { readonly type: "leave"; readonly story: string; readonly run: string };

/** `in-progress` is a word of the older form: its file says so, and who works on it, Saga cannot know. */
export type CardState = StoryState | "in-progress";

export interface StoryCard {
  readonly id: string;
  readonly title: string;
  readonly state: CardState;
  /** Something was done for it already. */
  readonly isBegun: boolean;
  readonly epic?: string | undefined;
  /** In the older markdown form, shown only. */
  readonly isLegacy?: true;
  readonly isArchived?: true;
  readonly labels: readonly string[];
  readonly priority?: number | undefined;
  readonly tasks: readonly TaskCard[];
  readonly waitsFor: readonly string[];
  /** The first open question, if there is one. */
  readonly question?: string | undefined;
  /** The number of that question, for its answer: `b1`. */
  readonly blocker?: string | undefined;
  readonly openQuestions: number;
  /** Why its last run ended, when that needs a person. */
  readonly reason?: string | undefined;
  /** When a person accepted it, where no worker has run since. */
  readonly acceptedAt?: string | undefined;
  /** What a person can do about it; nothing when it waits for others, or is done. */
  readonly attention?: Attention | undefined;
  readonly pr?: string | undefined;
  readonly branch?: string | undefined;
  readonly worktree?: string | undefined;
  readonly run?: RunCard | undefined;
  readonly costUsd: number;
  /** Some of it is counted by Saga, and not reported yet. */
  readonly costIsEstimate?: boolean | undefined;
  /** Changes with anything that a detail page shows. */
  readonly version: number;
}

export interface TaskCard {
  readonly id: string;
  readonly subject: string;
  readonly status: Status;
  readonly blockedBy: readonly string[];
}

/** The run of the moment, or the last one. */
export interface RunCard {
  readonly id: string;
  readonly startedAt: string;
  readonly endedAt?: string | undefined;
  readonly outcome?: RunOutcome | undefined;
  readonly session?: string | undefined;
  /** The last thing that happened, as one line. */
  readonly lastAction?: { readonly at: string; readonly text: string } | undefined;
  readonly costUsd: number;
  /** Some of it is counted by Saga, and not reported yet. */
  readonly costIsEstimate?: boolean | undefined;
}

export interface EpicCard {
  readonly id: string;
  readonly title: string;
  readonly status: Status;
  readonly description?: string | undefined;
  readonly isLegacy?: true;
  readonly children: readonly { readonly id: string; readonly blockedBy: readonly string[] }[];
  readonly pr?: string | undefined;
  /** Whether `saga epic run` is at work on it. */
  readonly isRunning: boolean;
  /** All its stories are in its own branch, and that is not merged. */
  readonly awaitsMerge?: boolean | undefined;
  readonly version: number;
}

export interface SessionCard {
  readonly name: string;
  readonly story?: string | undefined;
  /** Whose stories it starts, one after the other. */
  readonly epic?: string | undefined;
  /** Of the pool: `auto-1`. */
  readonly worker?: string | undefined;
  readonly startedAt: string;
  readonly attach: string;
  readonly isHere: boolean;
}

export interface PoolCard {
  readonly list: string;
  readonly daemons: readonly PoolDaemon[];
  readonly workers: readonly PoolWorkerCard[];
  readonly tasks: readonly PoolTaskCard[];
  readonly problems: readonly string[];
}
export interface PoolDaemon {
  readonly instance: string;
  readonly pid: number;
  readonly state: string;
  readonly startedAt: string;
}
export interface PoolWorkerCard {
  readonly name: string;
  readonly instance: string;
  readonly state: string;
  readonly task?: string | undefined;
  readonly run?: string | undefined;
  readonly since?: string | undefined;
  readonly lastToolAt?: string | undefined;
}
export interface PoolTaskCard {
  readonly id: string;
  readonly subject: string;
  /** `elsewhere`: someone works on it, and nobody of this project. */
  readonly state: PoolTaskState | "elsewhere";
  readonly label?: string | undefined;
  readonly priority: number;
  readonly owner?: string | undefined;
  readonly blockedBy: readonly string[];
  readonly why?: string | undefined;
  /** `why` is a question of the agent. */
  readonly isQuestion?: boolean | undefined;
  readonly attempts: number;
}

export interface ProblemCard {
  /** Whose files these are, where that is clear: then it has no card, or an incomplete one. */
  readonly story?: string | undefined;
  readonly file: string;
  readonly line?: number | undefined;
  readonly message: string;
}

export interface ProjectCard {
  readonly name: string;
  readonly folder: string;
  readonly costTodayUsd: number;
  readonly costTodayIsEstimate?: boolean | undefined;
  /** The branch that stories start from and go to; nothing where that is not clear, or not known yet. */
  readonly target?: string | undefined;
}

/** Whatever a request that failed answers with, besides its status: 400, 401, 403, 404, 405, 413 or 500. */
export interface ActionRefusal {
  readonly message: string;
  readonly hint?: string | undefined;
}
