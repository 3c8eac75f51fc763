// The protocol between the dashboard's server and its page. Types only: both sides import them.
//
// The page opens one WebSocket, `/api/live`. It receives everything once (`snapshot`) and then only changes
// (`change`), numbered without gaps; if it finds a gap, it asks for a new snapshot. Details (`details.ts`) are
// fetched, and fetched again when the `version` of their entity changes. Logs are followed by byte offset, so
// that no line is lost or sent twice. What a person does is posted as an action (`actions.ts`).
//
// Opening the printed address (`/?key=…`) sets a cookie. Without it every path below `/api/` answers 401, and
// 403 if Host or Origin are not the dashboard's own.

import type { Attention } from "../../story/state/attention.ts";
import type { PoolTaskState } from "../../tasks/view.ts";
import type { ReviewRisk } from "../../story/review/review-risk.ts";
import type { FleetCard } from "./fleet.ts";
import type { RunEvent } from "../../story/state/run.ts";
import type { RunOutcome, StoryState } from "../../story/state/state.ts";
import type { Status } from "../../story/definition/status.ts";
import type { ConflictCard, LaneCard } from "./landing.ts";

/** Everything that pages show, by kind and id. */
export interface Entities {
  readonly stories: Readonly<Record<string, StoryCard>>;
  readonly epics: Readonly<Record<string, EpicCard>>;
  readonly sessions: Readonly<Record<string, SessionCard>>;
  readonly pool: Readonly<Record<string, PoolCard>>;
  readonly problems: Readonly<Record<string, ProblemCard>>;
  readonly lanes: Readonly<Record<string, LaneCard>>;
  readonly conflicts: Readonly<Record<string, ConflictCard>>;
  /** One entry, `fleet`, if the project is in one. */
  readonly fleet: Readonly<Record<string, FleetCard>>;
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
       * Byte offsets of the first event and of the end. The events always follow the ones before: if `from` is
       * lower than the last `next`, the file was started over.
       */
      readonly from: number;
      readonly next: number;
      readonly events: readonly RunEvent[];
    }
  | {
      readonly type: "output";
      readonly lane: string;
      /** Replaces the text so far: the first part, or another check. */
      readonly isStart: boolean;
      readonly text: string;
    };

/** `value` is null if the entity was removed. */
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
  | { readonly type: "leave"; readonly story: string; readonly run: string }
  /** The output of the check that a lane runs now. */
  | { readonly type: "follow-output" | "leave-output"; readonly lane: string };

/** `in-progress` comes from files in the older format: Saga cannot know who works on them. */
export type CardState = StoryState | "in-progress";

export interface StoryCard {
  readonly id: string;
  readonly title: string;
  readonly state: CardState;
  /** Work on it has started. */
  readonly isBegun: boolean;
  readonly epic?: string | undefined;
  /** In the older markdown format: read-only. */
  readonly isLegacy?: true;
  readonly isArchived?: true;
  readonly labels: readonly string[];
  readonly priority?: number | undefined;
  readonly tasks: readonly TaskCard[];
  readonly waitsFor: readonly string[];
  /** The first open question. */
  readonly question?: string | undefined;
  /** The number of that question: `b1`. */
  readonly blocker?: string | undefined;
  readonly openQuestions: number;
  /** Why its last run ended, if that needs a person. */
  readonly reason?: string | undefined;
  /** When a person approved it, unless a worker has run since. */
  readonly acceptedAt?: string | undefined;
  /** What a person can do next. Undefined if it waits for other stories or is completed. */
  readonly attention?: Attention | undefined;
  /** How carefully to look at it, and why. Known if it is in review. */
  readonly risk?: ReviewRisk | undefined;
  readonly pr?: string | undefined;
  readonly branch?: string | undefined;
  readonly worktree?: string | undefined;
  readonly run?: RunCard | undefined;
  readonly costUsd: number;
  /** Includes an estimate by Saga: Claude Code has not reported all of it yet. */
  readonly costIsEstimate?: boolean | undefined;
  /** Changes whenever something on its own page changes. */
  readonly version: number;
}

export interface TaskCard {
  readonly id: string;
  readonly subject: string;
  readonly status: Status;
  readonly blockedBy: readonly string[];
}

/** The current run, or the last one. */
export interface RunCard {
  readonly id: string;
  readonly startedAt: string;
  readonly endedAt?: string | undefined;
  readonly outcome?: RunOutcome | undefined;
  readonly session?: string | undefined;
  /** The last event, as one line. */
  readonly lastAction?: { readonly at: string; readonly text: string } | undefined;
  readonly costUsd: number;
  /** Includes an estimate by Saga: Claude Code has not reported all of it yet. */
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
  /** `saga epic run` is running. */
  readonly isRunning: boolean;
  /** All its stories are in its branch, which is not merged yet. */
  readonly awaitsMerge?: boolean | undefined;
  readonly version: number;
}

export interface SessionCard {
  readonly name: string;
  readonly story?: string | undefined;
  /** The epic whose stories it starts. */
  readonly epic?: string | undefined;
  /** A worker of the pool: `auto-1`. */
  readonly worker?: string | undefined;
  readonly startedAt: string;
  readonly attach: string;
  /** It belongs to this project. */
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
  /** `elsewhere`: claimed, but not by a worker of this project. */
  readonly state: PoolTaskState | "elsewhere";
  readonly label?: string | undefined;
  readonly priority: number;
  readonly owner?: string | undefined;
  readonly blockedBy: readonly string[];
  readonly why?: string | undefined;
  /** `why` is a question from the agent. */
  readonly isQuestion?: boolean | undefined;
  readonly attempts: number;
}

export interface ProblemCard {
  /** The story that the file belongs to, if known. It then has no card, or an incomplete one. */
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
  /** The branch that stories start from and are merged into. Undefined if unclear or not known yet. */
  readonly target?: string | undefined;
}

/** The body of a failed request. Its status is 400, 401, 403, 404, 405, 413 or 500. */
export interface ErrorBody {
  readonly message: string;
  readonly hint?: string | undefined;
}
