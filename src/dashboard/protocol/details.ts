// What the page fetches when it is opened: one story in full, its diff, the timeline. Types only.

import type { SearchResult } from "../../store/search/search.ts";
import type { DayBudget } from "../../story/money/day-budget.ts";
import type { SpendingGroup, SpendingRow } from "../../story/money/spending.ts";
import type { Receipt } from "../../story/receipts/receipt.ts";
import type { RunOutcome } from "../../story/state/state.ts";
import type { ProblemCard, RunCard, TaskCard } from "./messages.ts";

/** `GET /api/story/<id>` */
export interface StoryDetail {
  readonly id: string;
  readonly version: number;
  readonly title: string;
  readonly description: string;
  readonly guidance?: string | undefined;
  readonly doneWhen?: string | undefined;
  readonly avoid?: string | undefined;
  readonly checks: readonly string[];
  readonly writeFiles: readonly string[];
  readonly needsTesting: boolean;
  readonly needsReview: boolean;
  readonly tasks: readonly TaskDetail[];
  readonly journal: readonly JournalCard[];
  /** Oldest first. */
  readonly receipts: readonly Receipt[];
  /** Number of gate records that were not sealed with this machine's key. They do not count. */
  readonly unverified: number;
  /** The git tree of the story's current code. Receipts with another tree are about older code. */
  readonly tree?: string | undefined;
  readonly missing: readonly string[];
  readonly mergeBlockers: readonly { readonly rule: string; readonly message: string }[];
  /** If no gate has run on the current code: the findings of the last one, on older code. */
  readonly lastMergeBlockers?: readonly { readonly rule: string; readonly message: string }[];
  /** A person approved the current code. */
  readonly accepted?: { readonly at: string; readonly how: string } | undefined;
  /** Newest first. */
  readonly snapshots?: readonly SnapshotCard[];
  readonly runs: readonly RunDetail[];
  /** Commits of the story's branch, oldest first. Their diffs are fetched separately. */
  readonly commits: readonly CommitCard[];
  /** The text of a story in the older markdown format. */
  readonly markdown?: string | undefined;
  /** Problems in its files. The rest of the story is still shown. */
  readonly problems: readonly ProblemCard[];
}
export interface TaskDetail extends TaskCard {
  readonly description: string;
  readonly guidance?: string | undefined;
  readonly doneWhen?: string | undefined;
  readonly checks: readonly string[];
  readonly writeFiles: readonly string[];
}
export interface JournalCard {
  readonly kind: string;
  readonly at: string;
  readonly title: string;
  readonly body: string;
  readonly blocker?: string | undefined;
  readonly isOpen: boolean;
}
export interface RunDetail extends RunCard {
  readonly reason?: string | undefined;
  readonly model?: string | undefined;
  readonly cycles: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
}
export interface SnapshotCard {
  readonly number: number;
  readonly at: string;
  readonly why: string;
  /** How many files differ from the commit it was taken on. */
  readonly files: number;
}
export interface CommitCard {
  readonly commit: string;
  readonly subject: string;
  readonly task?: string | undefined;
  readonly at: string;
}

/**
 * `GET /api/story/<id>/diff?commit=<sha>`: git's unified diff, of the whole story or of one commit. `?since=<sha>`: of
 * what came after that commit of the story.
 */
export interface StoryDiff {
  readonly diff: string;
  readonly isCut: boolean;
  readonly files: readonly {
    readonly path: string;
    readonly added: number;
    readonly removed: number;
  }[];
}

/** `GET /api/timeline?days=7` */
export interface Timeline {
  readonly bars: readonly {
    readonly story: string;
    readonly run: string;
    readonly startedAt: string;
    readonly endedAt?: string | undefined;
    readonly outcome?: RunOutcome | undefined;
    readonly costUsd: number;
    readonly costIsEstimate?: boolean | undefined;
  }[];
}

/** `GET /api/costs?days=30` */
export interface Costs {
  /** Days newest first, everything else by cost. */
  readonly by: Readonly<Record<SpendingGroup, readonly SpendingRow[]>>;
  readonly total: Omit<SpendingRow, "name">;
  /** Undefined if `budget.day` is not set. */
  readonly today?: DayBudget | undefined;
  /** `budget.epic`; 0 for no limit. */
  readonly epicBudgetUsd: number;
}

/** `GET /api/search?q=<words>`: in stories, tasks, journals and the logs of all runs. */
export interface SearchAnswer {
  readonly hits: SearchResult["hits"];
  readonly isCut: boolean;
}
