// What the page fetches by itself, when it is shown: one story in full, its diff, the timeline. Types only.

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
  /** Records of gates that this machine's key did not seal: another one's, or nobody knows whose. They do not count. */
  readonly unverified: number;
  /** Of the story's code as it is now; receipts for another one are about what it was. */
  readonly tree?: string | undefined;
  readonly missing: readonly string[];
  readonly objections: readonly { readonly rule: string; readonly message: string }[];
  /** Where no gate has judged the code as it is: what the last one said about the code before. */
  readonly lastObjections?: readonly { readonly rule: string; readonly message: string }[];
  /** A person has accepted the code as it is. */
  readonly accepted?: { readonly at: string; readonly how: string } | undefined;
  /** Newest first. */
  readonly snapshots?: readonly SnapshotCard[];
  readonly runs: readonly RunDetail[];
  /** Commits of the story's branch, oldest first; the diff of each, or of all, is fetched apart. */
  readonly commits: readonly CommitCard[];
  /** Of a story in the older form: its text, as markdown. */
  readonly markdown?: string | undefined;
  /** What is wrong with its files; the rest is shown all the same. */
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

/** `GET /api/story/<id>/diff?commit=<sha>`: git's own unified diff, of all of it or of one commit. */
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
