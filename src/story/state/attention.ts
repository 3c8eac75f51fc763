// What a person can do about a story or an epic: its section, the reason and the next command. Used
// by `saga status`, the page, the SessionStart hook and notifications. Pure, and without packages.

import { CONFLICT_TASK } from "../plan/fix-task.ts";
import type { Limit, RunOutcome, StoryState } from "./state.ts";

/** In the order in which they are shown. Waiting and completed stories are in none of them. */
export const SECTIONS = ["needs-you", "continue", "start", "running", "landing"] as const;
export type Section = (typeof SECTIONS)[number];

/** Most urgent first, within each section. */
export const ATTENTION_KINDS = [
  "question",
  "failed",
  "definition",
  "push-failed",
  "epic-merge",
  "stalled",
  "review",
  "answered",
  "sent-back",
  "conflict",
  "new-work",
  "killed",
  "limit",
  "stopped",
  "unfinished",
  "ready",
  "running",
  "landing",
] as const;
export type AttentionKind = (typeof ATTENTION_KINDS)[number];

/** Kinds that are shown instead of the state, which alone would not explain the next command. */
export const SHOWN_KINDS = ["answered", "conflict", "new-work", "push-failed"] as const;
export type ShownState = StoryState | (typeof SHOWN_KINDS)[number];

/** What every view calls a story. */
export const shownState = (state: StoryState, kind: AttentionKind | undefined): ShownState =>
  SHOWN_KINDS.find((shown) => shown === kind) ?? state;

/** The same as a word. */
export const shownWord = (state: StoryState, kind: AttentionKind | undefined): string =>
  shownState(state, kind).replace("-", " ");

export interface Attention {
  readonly section: Section;
  readonly kind: AttentionKind;
  /** The reason, as a sentence. */
  readonly text: string;
  /** The next command. */
  readonly next: string;
}

/** The facts that decide the kind. */
export interface KindFacts {
  readonly state: StoryState;
  readonly isBegun: boolean;
  /** It is being merged. */
  readonly isLanding?: boolean | undefined;
  /** Its next task resolves a conflict with its target. */
  readonly hasConflict: boolean;
  readonly lastRun: {
    readonly outcome?: RunOutcome | undefined;
    readonly reason?: string | undefined;
    readonly limit?: Limit | undefined;
    readonly pushError?: string | undefined;
  };
  /** Where its definition asks for less than when it began, if known. */
  readonly weakened?: readonly string[] | undefined;
}

export interface AttentionFacts extends KindFacts {
  readonly id: string;
  /** Open questions, oldest first. */
  readonly questions: readonly string[];
  readonly isWorktreeGone: boolean;
}

/** Whether a task that resolves a conflict with the target is pending. */
export const hasConflict = (
  tasks: readonly { readonly id: string; readonly status: string }[],
): boolean => tasks.some(({ id, status }) => id === CONFLICT_TASK && status === "pending");

/** Undefined for a story that waits, cannot be started, or is completed. */
export function attentionOf(facts: AttentionFacts): Attention | undefined {
  const kind = attentionKind(facts);
  if (kind === undefined) return undefined;
  return {
    section: sectionOf(kind),
    kind,
    text: textOf(kind, facts),
    next: nextFor(kind, facts.id),
  };
}

/** Separate, because the hook has its own texts and must stay small. */
export function attentionKind(facts: KindFacts): AttentionKind | undefined {
  const { state, isLanding } = facts;
  switch (state) {
    case "running":
    case "stalled":
      return isLanding ? "landing" : state;
    case "blocked":
      return "question";
    case "review":
      return kindOfReview(facts);
    case "ready":
      return kindOfReady(facts);
    case "pending":
    case "waiting":
    case "completed":
      return undefined;
    default:
      return state;
  }
}

function kindOfReview({ weakened = [], lastRun }: KindFacts): AttentionKind {
  if (weakened.length > 0) return "definition";
  return lastRun.pushError === undefined ? "review" : "push-failed";
}

function kindOfReady({ isBegun, hasConflict, lastRun }: KindFacts): AttentionKind {
  if (!isBegun) return "ready";
  if (hasConflict) return "conflict";
  return lastRun.outcome === "blocked" ? "answered" : "new-work";
}

export function sectionOf(kind: AttentionKind): Section {
  if (kind === "running" || kind === "landing") return kind;
  if (kind === "ready") return "start";
  return TO_CONTINUE.has(kind) ? "continue" : "needs-you";
}

const TO_CONTINUE: ReadonlySet<AttentionKind> = new Set([
  "answered",
  "sent-back",
  "conflict",
  "new-work",
  "killed",
  "limit",
  "stopped",
  "unfinished",
]);

function textOf(kind: AttentionKind, facts: AttentionFacts): string {
  const { questions, lastRun, weakened = [], isWorktreeGone } = facts;
  const reason = lastRun.reason ?? "";
  switch (kind) {
    case "question":
      return withMore(questions[0] ?? "A question is open.", questions.length - 1);
    case "failed":
      return reason || "The last run failed.";
    case "definition":
      return withMore(weakened[0] ?? "", weakened.length - 1);
    case "push-failed":
      return `All tasks done, but its branch was not pushed: ${lastRun.pushError ?? ""}`;
    case "stopped":
      return reason || "Stopped by you.";
    case "killed":
      return "Its worker was killed.";
    case "limit":
      return reason || LIMIT_TEXT[lastRun.limit ?? "time"];
    case "unfinished":
      return isWorktreeGone
        ? "Its worktree is gone; its branch still exists."
        : "Started, but has no worker.";
    case "sent-back":
      return reason || "Sent back.";
    default:
      return TEXTS[kind];
  }
}

const withMore = (text: string, more: number): string =>
  more > 0 ? `${text} (and ${more} more)` : text;

const LIMIT_TEXT: Readonly<Record<Limit, string>> = {
  time: "Time limit reached.",
  cost: "Cost limit reached.",
  budget: "The budget is spent.",
  cycles: "Limit of agent runs reached.",
  usage: "The account's usage limit was reached.",
};

type FixedText =
  | "epic-merge"
  | "stalled"
  | "review"
  | "answered"
  | "conflict"
  | "new-work"
  | "ready"
  | "running"
  | "landing";

const TEXTS: Readonly<Record<FixedText, string>> = {
  "epic-merge": "All stories done; its branch is ready to merge.",
  stalled: "Its agent is silent.",
  review: "All tasks done, ready for review.",
  answered: "Answered; its next run gets the answer.",
  conflict: "Conflicts with its target; its agent resolves that in the next run.",
  "new-work": "Has new tasks.",
  ready: "Not started yet.",
  running: "Running.",
  landing: "Being merged.",
};

/** The next command for a kind. */
export const nextFor = (kind: AttentionKind, id: string): string =>
  `saga ${(COMMANDS[kind] ?? "run *").replace("*", id)}`;

/** For the last line of a run's log. Undefined for outcomes that a worker does not end with. */
export function nextAfterRun(outcome: RunOutcome, id: string): string | undefined {
  const kind = KIND_AFTER_RUN[outcome];
  return kind && nextFor(kind, id);
}

const KIND_AFTER_RUN: Readonly<Partial<Record<RunOutcome, AttentionKind>>> = {
  done: "review",
  "push-failed": "push-failed",
  // Its log is what the person is reading: what remains is to run it again.
  failed: "new-work",
  limit: "limit",
  blocked: "question",
  stopped: "stopped",
  killed: "killed",
};

/** The others can be run: they have work for a worker. */
const COMMANDS: Readonly<Partial<Record<AttentionKind, string>>> = {
  question: 'resolve * "…" --run',
  failed: "logs *",
  definition: "show *",
  "push-failed": "push *",
  "epic-merge": "merge *",
  stalled: "logs * -f",
  review: "show *",
  killed: "resume *",
  limit: "resume *",
  stopped: "resume *",
  unfinished: "resume *",
  running: "logs * -f",
  landing: "show *",
};

export interface Ranked {
  readonly id: string;
  /** Undefined when a person has nothing to do: it comes last. */
  readonly kind: AttentionKind | undefined;
  readonly priority?: number | undefined;
}

/** Sorts by section and kind, then priority, then name. */
export const byAttention = (one: Ranked, other: Ranked): number =>
  rankOf(one.kind) - rankOf(other.kind) ||
  (one.priority ?? DEFAULT_PRIORITY) - (other.priority ?? DEFAULT_PRIORITY) ||
  (one.id < other.id ? -1 : 1);

const rankOf = (kind: AttentionKind | undefined): number =>
  kind === undefined ? ATTENTION_KINDS.length : ATTENTION_KINDS.indexOf(kind);

const DEFAULT_PRIORITY = 3;

export interface EpicAttentionFacts {
  readonly id: string;
  /** All of its stories are done, and its branch is not merged. */
  readonly awaitsMerge: boolean;
}

export function attentionOfEpic(facts: EpicAttentionFacts): Attention | undefined {
  if (!facts.awaitsMerge) return undefined;
  const kind = "epic-merge";
  return { section: sectionOf(kind), kind, text: TEXTS[kind], next: nextFor(kind, facts.id) };
}
