// Says a notice in every way that the settings ask for and that is possible from here, each once
// whatever the number of processes that know of it. It throws nothing: what did not work is a warning.

import type { Context } from "../../context.ts";
import { basename } from "node:path";
import { messageOf, SagaError } from "../../errors.ts";
import {
  DESKTOP_VARIABLES,
  postToWebhook,
  ringBell,
  runNotificationCommand,
  showOnDesktop,
  type SendFailure,
  type Terminal,
} from "../../machine/programs/notify.ts";
import { newRedactor, type Redact } from "../../machine/files/redact.ts";
import {
  isWanted,
  slackPayload,
  WEBHOOK,
  readyToSend,
  type Notification,
} from "../../story/prompts/notification.ts";
import { oneLine } from "../../text/one-line.ts";
import type { Settings } from "../../story/settings/settings.ts";
import { layoutOf } from "../project/layout.ts";
import { claimNotice, pruneNotices, type NoticeClaim } from "./sent-log.ts";

export type Channel = "bell" | "desktop" | "command" | "webhook";

export interface Speaker extends Pick<Context, "env" | "now"> {
  readonly project: string;
  readonly settings: Pick<Settings, "notices">;
  /** Everything that is said goes through it. */
  readonly redact: Redact;
  /** Where someone may be looking. */
  readonly terminal?: Terminal | undefined;
  /** Only these, of those that the settings ask for. */
  readonly channels?: readonly Channel[] | undefined;
  readonly stop?: AbortSignal | undefined;
  readonly platform?: NodeJS.Platform | undefined;
}

export interface Said {
  readonly said: readonly Channel[];
  readonly warnings: readonly string[];
}

export async function say(notice: Notification, speaker: Speaker): Promise<Said> {
  const { notices } = speaker.settings;
  const address = webhookOf(speaker);
  const redact = withoutAddress(speaker.redact, address);
  const ways = isWanted(notice.kind, notices.on)
    ? waysOf(readyToSend(notice, redact), address, speaker)
    : [];
  const claimed = claim(notice, ways, speaker);
  if (claimed.ways.length === 0) return { said: [], warnings: claimed.warnings };

  const warnings: string[] = [...claimed.warnings];
  const warn = (sentence: string): void => void warnings.push(oneLine(redact(sentence)));
  const told = await Promise.all(
    claimed.ways.map(async ({ channel, tell }) => {
      const fault = await tell().catch(messageOf);
      const isSaid = fault === undefined;
      if (!isSaid) warn(fault);
      // Right away: what is said must be known before anything else can go wrong.
      attempt(() => claimed.claim?.[isSaid ? "noteSaid" : "noteFailed"](channel));
      return isSaid ? [channel] : [];
    }),
  );
  attempt(() => claimed.claim?.release());
  attempt(() => pruneNotices(layoutOf(speaker.project), speaker.now()));
  return { said: told.flat(), warnings };

  function attempt(act: () => void): void {
    try {
      act();
    } catch (error) {
      warn(`What was said could not be written down: ${messageOf(error)}`);
    }
  }
}

/** Variables that whoever says things needs to have, besides the usual ones. */
export const noticeVariables = ({ notices }: Pick<Settings, "notices">): string[] => [
  ...(notices.webhookEnv === undefined ? [] : [notices.webhookEnv]),
  ...(notices.desktop || notices.command !== undefined ? DESKTOP_VARIABLES : []),
];

interface Way {
  readonly channel: Channel;
  readonly tell: () => Promise<SendFailure>;
}

function waysOf(notice: Notification, address: string | undefined, speaker: Speaker): Way[] {
  const { settings, env, project, terminal, stop, channels } = speaker;
  const { notices } = settings;
  const ways: Way[] = [];
  if (notices.bell && terminal?.isTerminal) {
    ways.push({ channel: "bell", tell: async () => ringBell(terminal) });
  }
  if (notices.desktop) {
    const platform = speaker.platform ?? process.platform;
    const tell = (): Promise<SendFailure> => showOnDesktop(notice, { env, platform, stop });
    ways.push({ channel: "desktop", tell });
  }
  if (notices.command !== undefined) {
    const { command } = notices;
    const variables = variablesOf(notice, project);
    const input = `${JSON.stringify({ ...notice, project })}\n`;
    const place = { cwd: project, env, variables, input, stop };
    ways.push({ channel: "command", tell: () => runNotificationCommand(command, place) });
  }
  if (address !== undefined) {
    const body = slackPayload(notice, basename(project));
    const tell = async (): Promise<SendFailure> =>
      WEBHOOK.test(address) ? postToWebhook(address, body, { stop }) : badAddress(speaker);
    ways.push({ channel: "webhook", tell });
  }
  return channels === undefined ? ways : ways.filter(({ channel }) => channels.includes(channel));
}

/** A variable that is not set is a colleague's business: the name is in git, the address is not. */
const webhookOf = ({ settings: { notices }, env }: Speaker): string | undefined =>
  (notices.webhookEnv !== undefined && env[notices.webhookEnv]?.trim()) || notices.webhook;

const badAddress = ({ settings: { notices } }: Speaker): string =>
  `The address in ${notices.webhookEnv} is neither an https address nor one of this machine.`;

/** Nor its path alone: that is the secret part of it. */
const withoutAddress = (redact: Redact, address = ""): Redact => {
  const hide = newRedactor([address, address.replace(/^https?:\/\/[^/]*/, "")]);
  return (text) => hide(redact(hide(text)));
};

const variablesOf = (notice: Notification, project: string): Record<string, string> => ({
  SAGA_NOTICE_KIND: notice.kind,
  SAGA_NOTICE_STORY: notice.story ?? "",
  SAGA_NOTICE_EPIC: notice.epic ?? "",
  SAGA_NOTICE_TITLE: notice.title,
  SAGA_NOTICE_TEXT: notice.text,
  SAGA_NOTICE_PROJECT: project,
});

interface Claimed {
  /** Those that are this process's to say. */
  readonly ways: readonly Way[];
  readonly claim?: NoticeClaim | undefined;
  readonly warnings: readonly string[];
}

function claim({ key }: Notification, ways: readonly Way[], { project, now }: Speaker): Claimed {
  const channels = ways.map(({ channel }) => channel);
  try {
    const claim = claimNotice(layoutOf(project), key, { ways: channels, now });
    const open = ways.filter(({ channel }) => claim?.open.includes(channel));
    return { ways: open, claim, warnings: [] };
  } catch (error) {
    // A full disk is the very thing that people should hear of; who may not write here is a visitor.
    const isFull = error instanceof SagaError && error.code === "disk-full";
    const warning = `What is said cannot be written down, and may be said again: ${messageOf(error)}`;
    return isFull ? { ways, warnings: [warning] } : { ways: [], warnings: [messageOf(error)] };
  }
}
