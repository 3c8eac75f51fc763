// The text of notifications: something needs a person, or an epic ended. Pure, and without packages.
// `store/notifications` records and sends them, `machine/programs/notify.ts` has the ways to notify.

import { nextFor, type AttentionKind } from "../state/attention.ts";
import { usd } from "../../text/usd.ts";
import { oneLine, truncate } from "../../text/one-line.ts";
import type { RunOutcome } from "../state/state.ts";
import { pullRequestName } from "../../text/pull-request-name.ts";

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
  "budget",
] as const;
export type NotificationKind = (typeof NOTIFICATION_KINDS)[number];

export interface Notification {
  /** Identifies the occasion: every process that notices the same one makes the same key. */
  readonly key: string;
  readonly kind: NotificationKind;
  readonly story?: string | undefined;
  readonly epic?: string | undefined;
  readonly title: string;
  readonly text: string;
  /** The next command. */
  readonly next: string;
}

/** The address of a webhook: `https`, or `http` on this machine; without a password. */
export const WEBHOOK =
  /^(?:https:\/\/[^\s/?#@\\]+|http:\/\/(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?)(?:[/?#]\S*)?$/;

/** Excludes addresses that are secrets: everyone who knows them can write to that service. */
export const NO_SECRET_WEBHOOK =
  /^(?!https:\/\/(?:hooks\.slack\.com|(?:[\w-]+\.)?discord(?:app)?\.com\/api|[\w.-]+\.webhook\.office\.com|chat\.googleapis\.com)(?:[:/]|$))/i;

export interface NotifiedStory {
  readonly id: string;
  readonly title: string;
  readonly epic?: string | undefined;
}

/** Without an outcome its worker was killed. */
export interface EndedRun {
  readonly id: string;
  readonly outcome?: RunOutcome | undefined;
  readonly reason?: string | undefined;
  readonly pullRequest?: string | undefined;
}

/** Undefined for what the person did themselves: stopped it, sent it back or merged it. */
export function notificationOfRun(story: NotifiedStory, run: EndedRun): Notification | undefined {
  const kind = run.outcome === undefined ? "killed" : KIND_OF_OUTCOME[run.outcome];
  if (kind === undefined) return undefined;
  const texts = [
    run.reason ?? (kind === "killed" ? "Its worker was killed." : ""),
    run.pullRequest && pullRequestName(run.pullRequest),
  ];
  return {
    key: ["story", story.id, run.id, kind].join("/"),
    kind,
    story: story.id,
    epic: story.epic,
    title: `${HEADS[kind]}: ${story.title}`,
    text: texts.filter(Boolean).join(" "),
    next: nextFor(ATTENTION_OF[kind], story.id),
  };
}

/** A question that a command asks, so that no run ends with it. */
export interface OpenQuestion {
  /** When it was asked: the same question is not sent twice. */
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
  /** Distinguishes runs: a finished epic can be run again. */
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

/** Something for which the pool needs a person. */
export interface PoolEvent {
  readonly list: string;
  /** Distinguishes it from all others of the list. */
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

/** Most of a budget is spent. `occasion`: the day, or the run of an epic. */
export const notificationOfBudget = ({
  occasion,
  epic,
  ...cost
}: {
  readonly occasion: string;
  readonly epic?: string | undefined;
  readonly spentUsd: number;
  readonly budgetUsd: number;
}): Notification => ({
  key: ["budget", occasion].join("/"),
  kind: "budget",
  epic,
  title: `${HEADS.budget}: ${usd(cost.spentUsd)} of ${usd(cost.budgetUsd)} spent`,
  text: "At 100 % running stories are stopped; their work is kept.",
  next: "saga cost",
});

type StoryNotificationKind = Exclude<
  NotificationKind,
  "epic-done" | "epic-stopped" | "pool" | "budget"
>;

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
  budget: "Budget nearly spent",
  pool: "Pool",
};

/** Phones and desktops cut longer notifications. */
const MAX_TITLE = 120;
const MAX_TEXT = 500;
/** A reason may be a whole log: no more of it is searched for secrets. */
const MAX_RAW = 100_000;

/** Without secrets, each text on one short line. */
export function readyToSend(
  notification: Notification,
  redact: (text: string) => string,
): Notification {
  // Redacted before it is cut, because half a secret is not recognised; and again, because a secret that was broken by
  // a line break or a colour is complete now.
  const clean = (text: string, max: number): string =>
    truncate(redact(oneLine(redact(text.slice(0, MAX_RAW)))), max);
  const { story, epic } = notification;
  return {
    ...notification,
    story: story === undefined ? undefined : clean(story, MAX_TITLE),
    epic: epic === undefined ? undefined : clean(epic, MAX_TITLE),
    title: clean(notification.title, MAX_TITLE),
    text: clean(notification.text, MAX_TEXT),
    next: clean(notification.next, MAX_TITLE + MAX_TITLE),
  };
}

/** The format of Slack and of services like it. Takes a notification from `readyToSend`. */
export function slackPayload(
  { title, text, next }: Notification,
  project: string,
): { readonly text: string } {
  const head = `*${inSlack(title)}* (${inSlack(oneLine(project))})`;
  return { text: [head, inSlack(text), `\`${inSlack(next)}\``].filter(Boolean).join("\n") };
}

/**
 * `<!channel>` would notify everyone, and so would a plain `@channel` or `@everyone` in Mattermost or Discord. A
 * zero-width space behind the @ prevents that.
 */
const inSlack = (text: string): string =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll(/@(?=\S)/g, "@\u200b");
