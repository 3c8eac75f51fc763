// What is said to a person who is not looking: that something needs them, or that an epic has ended.
// Pure, and without a package. What is remembered of it is in store/notices.ts, how it is said in
// machine/notify.ts.

import { nextFor, type AttentionKind } from "../state/attention.ts";
import { oneLine, truncate } from "../../text/one-line.ts";
import type { RunOutcome } from "../state/state.ts";

export const NOTIFICATION_KINDS = [
  "blocked",
  "failed",
  "review",
  "push-failed",
  "limit",
  "killed",
  "epic-done",
  "epic-stopped",
  "pool",
] as const;
export type NotificationKind = (typeof NOTIFICATION_KINDS)[number];

/** Older settings say `interrupted` for what is `killed` today. */
export const ACCEPTED_KINDS = [...NOTIFICATION_KINDS, "interrupted"] as const;

export const isWanted = (
  kind: NotificationKind,
  wanted: readonly (typeof ACCEPTED_KINDS)[number][],
): boolean => wanted.includes(kind) || (kind === "killed" && wanted.includes("interrupted"));

export interface Notification {
  /** The occasion: whoever notices the same thing makes the same key. */
  readonly key: string;
  readonly kind: NotificationKind;
  readonly story?: string | undefined;
  readonly epic?: string | undefined;
  readonly title: string;
  readonly text: string;
  /** The command that goes on from here. */
  readonly next: string;
}

/** Where to say it. `https`, or `http` to this very machine; no password in it. */
export const WEBHOOK =
  /^(?:https:\/\/[^\s/?#@\\]+|http:\/\/(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?)(?:[/?#]\S*)?$/;

/** Not an address that lets everyone who reads it write to a known service: that is a password. */
export const NO_SECRET_WEBHOOK =
  /^(?!https:\/\/(?:hooks\.slack\.com|(?:[\w-]+\.)?discord(?:app)?\.com\/api|[\w.-]+\.webhook\.office\.com|chat\.googleapis\.com)(?:[:/]|$))/i;

export interface NotifiedStory {
  readonly id: string;
  readonly title: string;
  readonly epic?: string | undefined;
}

/** A run that is over: with its outcome, or without one because it was killed. */
export interface EndedRun {
  readonly id: string;
  readonly outcome?: RunOutcome | undefined;
  readonly reason?: string | undefined;
  readonly pullRequest?: string | undefined;
}

/** Nothing where the person knows it already: they stopped it, sent it back or merged it. */
export function notificationOfRun(story: NotifiedStory, run: EndedRun): Notification | undefined {
  const kind = run.outcome === undefined ? "killed" : KIND_OF_OUTCOME[run.outcome];
  if (kind === undefined) return undefined;
  const said = [run.reason ?? (kind === "killed" ? "Its worker was killed." : ""), run.pullRequest];
  return {
    key: ["story", story.id, run.id, kind].join("/"),
    kind,
    story: story.id,
    epic: story.epic,
    title: `${HEADS[kind]}: ${story.title}`,
    text: said.filter(Boolean).join(" "),
    next: nextFor(ATTENTION_OF[kind], story.id),
  };
}

/** One that a command has raised for a person to answer: no run ends with it. */
export interface OpenQuestion {
  /** When: whoever finds the same question open again says nothing new. */
  readonly at: string;
  readonly title: string;
}

export const notificationOfQuestion = (
  story: NotifiedStory,
  { at, title }: OpenQuestion,
): Notification => ({
  key: ["story", story.id, "question", at].join("/"),
  kind: "blocked",
  story: story.id,
  epic: story.epic,
  title: `${HEADS.blocked}: ${story.title}`,
  text: title,
  next: nextFor("question", story.id),
});

export interface EndedEpic {
  /** Tells this time from the times before: an epic that is done stays so, however often it is run. */
  readonly runId: string;
  readonly isDone: boolean;
  readonly reason: string;
}

export function notificationOfEpic(
  epic: { readonly id: string; readonly title: string },
  { runId, isDone, reason }: EndedEpic,
): Notification {
  const kind = isDone ? "epic-done" : "epic-stopped";
  return {
    key: ["epic", epic.id, runId, kind].join("/"),
    kind,
    epic: epic.id,
    title: `${HEADS[kind]}: ${epic.title}`,
    text: reason,
    next: `saga show ${epic.id}`,
  };
}

/** What the pool needs a person for. */
export interface PoolEvent {
  readonly list: string;
  /** Tells this one from all others of the list. */
  readonly occasion: string;
  readonly title: string;
  readonly text: string;
  readonly next: string;
}

export const notificationOfPool = ({
  list,
  occasion,
  title,
  text,
  next,
}: PoolEvent): Notification => ({
  key: ["pool", list, occasion].join("/"),
  kind: "pool",
  title: `${HEADS.pool}: ${title}`,
  text,
  next,
});

type StoryNotificationKind = Exclude<NotificationKind, "epic-done" | "epic-stopped" | "pool">;

const KIND_OF_OUTCOME: Readonly<Record<RunOutcome, StoryNotificationKind | undefined>> = {
  done: "review",
  "push-failed": "push-failed",
  failed: "failed",
  limit: "limit",
  blocked: "blocked",
  killed: "killed",
  stopped: undefined,
  "sent-back": undefined,
  merged: undefined,
};

const ATTENTION_OF: Readonly<Record<StoryNotificationKind, AttentionKind>> = {
  blocked: "question",
  failed: "failed",
  review: "review",
  "push-failed": "push-failed",
  limit: "limit",
  killed: "killed",
};

const HEADS: Readonly<Record<NotificationKind, string>> = {
  blocked: "Blocked",
  failed: "Failed",
  review: "Ready for review",
  limit: "Limit reached",
  "push-failed": "Push failed",
  killed: "Killed",
  "epic-done": "Epic done",
  "epic-stopped": "Epic stopped",
  pool: "Pool",
};

/** What a notice on a phone or a desktop shows before it cuts off by itself. */
const MAX_TITLE = 120;
const MAX_TEXT = 500;
/** A reason may be a whole log: no more of it is looked through for secrets. */
const MAX_RAW = 100_000;

/** As it may be said: without secrets, each text on one line and short. */
export function readyToSend(notice: Notification, redact: (text: string) => string): Notification {
  // Redacted before it is cut, because half a secret is not recognised; and once more, because a
  // secret that was broken by a line or a colour is whole again now.
  const clean = (text: string, max: number): string =>
    truncate(redact(oneLine(redact(text.slice(0, MAX_RAW)))), max);
  const { story, epic } = notice;
  return {
    ...notice,
    story: story === undefined ? undefined : clean(story, MAX_TITLE),
    epic: epic === undefined ? undefined : clean(epic, MAX_TITLE),
    title: clean(notice.title, MAX_TITLE),
    text: clean(notice.text, MAX_TEXT),
    next: clean(notice.next, MAX_TITLE + MAX_TITLE),
  };
}

/** What Slack takes, and everything that speaks like it. Expects a notice that is worded. */
export function slackPayload(notice: Notification, project: string): { readonly text: string } {
  const { title, text, next } = notice;
  const head = `*${inSlack(title)}* (${inSlack(oneLine(project))})`;
  return { text: [head, inSlack(text), `\`${inSlack(next)}\``].filter(Boolean).join("\n") };
}

/**
 * `<!channel>` would call everyone. So would a bare `@channel` or `@everyone` where others than Slack
 * listen (Mattermost, Discord): a space without width behind the @ makes it a word like any other.
 */
const inSlack = (text: string): string =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll(/@(?=\S)/g, "@\u200b");
