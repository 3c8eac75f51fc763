// Sends a notification over every channel that is set and available here, each once however many processes try. It
// never throws: a failure becomes a warning.

import type { Context } from "../../context.ts";
import { basename } from "node:path";
import { messageOf, SagaError } from "../../errors.ts";
import {
  DESKTOP_VARIABLES,
  hasDesktop,
  postToWebhook,
  ringBell,
  runNotificationCommand,
  showOnDesktop,
  type SendFailure,
  type Terminal,
} from "../../machine/programs/notify.ts";
import { newRedactor, type Redact } from "../../machine/files/redact.ts";
import {
  slackPayload,
  WEBHOOK,
  readyToSend,
  type Notification,
} from "../../story/prompts/notification.ts";
import { oneLine } from "../../text/one-line.ts";
import type { Settings } from "../../story/settings/settings.ts";
import { layoutOf } from "../project/layout.ts";
import { claimNotification, pruneSentLog, type NotificationClaim } from "./sent-log.ts";

export type Channel = "bell" | "desktop" | "command" | "webhook";

export interface SendContext extends Pick<Context, "env" | "now"> {
  readonly project: string;
  readonly settings: Pick<Settings, "notices">;
  /** Applied to everything that is sent. */
  readonly redact: Redact;
  /** For the bell. */
  readonly terminal?: Terminal | undefined;
  /** Only these channels. */
  readonly channels?: readonly Channel[] | undefined;
  readonly stop?: AbortSignal | undefined;
  readonly platform?: NodeJS.Platform | undefined;
}

export interface SendResult {
  readonly sent: readonly Channel[];
  readonly warnings: readonly string[];
}

export async function sendToChannels(
  notification: Notification,
  context: SendContext,
): Promise<SendResult> {
  const { notices } = context.settings;
  const address = webhookOf(context);
  const redact = withoutAddress(context.redact, address);
  const senders = notices.on.includes(notification.kind)
    ? sendersOf(readyToSend(notification, redact), address, context)
    : [];
  const claimed = await claim(notification, senders, context);
  if (claimed.senders.length === 0) return { sent: [], warnings: claimed.warnings };

  const warnings: string[] = [...claimed.warnings];
  const warn = (sentence: string): void => void warnings.push(oneLine(redact(sentence)));
  const sent = await Promise.all(
    claimed.senders.map(async ({ channel, send }) => {
      const problem = await send().catch(messageOf);
      const isSent = problem === undefined;
      if (!isSent) warn(problem);
      // At once, before anything else can go wrong.
      await attempt(() => claimed.claim?.[isSent ? "noteSent" : "noteFailed"](channel));
      return isSent ? [channel] : [];
    }),
  );
  await attempt(() => claimed.claim?.release());
  await attempt(() => pruneSentLog(layoutOf(context.project), context.now()));
  return { sent: sent.flat(), warnings };

  async function attempt(act: () => void | Promise<void>): Promise<void> {
    try {
      await act();
    } catch (error) {
      warn(`Cannot record that the notification was sent: ${messageOf(error)}`);
    }
  }
}

/** The environment variables that sending needs, besides the usual ones. */
export const notificationVariables = ({ notices }: Pick<Settings, "notices">): string[] => [
  ...(notices.webhookEnv === undefined ? [] : [notices.webhookEnv]),
  ...(notices.desktop !== false || notices.command !== undefined ? DESKTOP_VARIABLES : []),
];

interface ChannelSender {
  readonly channel: Channel;
  readonly send: () => Promise<SendFailure>;
}

function sendersOf(
  notification: Notification,
  address: string | undefined,
  context: SendContext,
): ChannelSender[] {
  const { settings, env, project, terminal, stop, channels } = context;
  const { notices } = settings;
  const senders: ChannelSender[] = [];
  if (notices.bell && terminal?.isTerminal) {
    senders.push({ channel: "bell", send: async () => ringBell(terminal) });
  }
  const platform = context.platform ?? process.platform;
  if (notices.desktop === true || (notices.desktop && hasDesktop({ env, platform }))) {
    const send = (): Promise<SendFailure> => showOnDesktop(notification, { env, platform, stop });
    senders.push({ channel: "desktop", send });
  }
  if (notices.command !== undefined) {
    const { command } = notices;
    const variables = variablesOf(notification, project);
    const input = `${JSON.stringify({ ...notification, project })}\n`;
    const place = { cwd: project, env, variables, input, stop };
    senders.push({ channel: "command", send: () => runNotificationCommand(command, place) });
  }
  if (address !== undefined) {
    const body = slackPayload(notification, basename(project));
    const send = async (): Promise<SendFailure> =>
      WEBHOOK.test(address) ? postToWebhook(address, body, { stop }) : badAddress(context);
    senders.push({ channel: "webhook", send });
  }
  return channels === undefined
    ? senders
    : senders.filter(({ channel }) => channels.includes(channel));
}

/** The variable may be unset: its name is in git, the address is each person's own. */
const webhookOf = ({ settings: { notices }, env }: SendContext): string | undefined =>
  (notices.webhookEnv !== undefined && env[notices.webhookEnv]?.trim()) || notices.webhook;

const badAddress = ({ settings: { notices } }: SendContext): string =>
  `The address in ${notices.webhookEnv} is neither an https address nor one of this machine.`;

/** Also hides the path alone, which is the secret part. */
const withoutAddress = (redact: Redact, address = ""): Redact => {
  const hide = newRedactor([address, address.replace(/^https?:\/\/[^/]*/, "")]);
  return (text) => hide(redact(hide(text)));
};

const variablesOf = (notification: Notification, project: string): Record<string, string> => ({
  SAGA_NOTICE_KIND: notification.kind,
  SAGA_NOTICE_STORY: notification.story ?? "",
  SAGA_NOTICE_EPIC: notification.epic ?? "",
  SAGA_NOTICE_TITLE: notification.title,
  SAGA_NOTICE_TEXT: notification.text,
  SAGA_NOTICE_PROJECT: project,
});

interface Claimed {
  /** The channels that this process sends on. */
  readonly senders: readonly ChannelSender[];
  readonly claim?: NotificationClaim | undefined;
  readonly warnings: readonly string[];
}

async function claim(
  { key }: Notification,
  senders: readonly ChannelSender[],
  { project, now }: SendContext,
): Promise<Claimed> {
  const channels = senders.map(({ channel }) => channel);
  try {
    const claim = await claimNotification(layoutOf(project), key, { channels, now });
    const open = senders.filter(({ channel }) => claim?.open.includes(channel));
    return { senders: open, claim, warnings: [] };
  } catch (error) {
    // On a full disk it is sent anyway, because people must learn of that. Without permission to write it is not.
    const isFull = error instanceof SagaError && error.code === "disk-full";
    const warning = `Cannot record the notification, so it may be sent again: ${messageOf(error)}`;
    return isFull
      ? { senders, warnings: [warning] }
      : { senders: [], warnings: [messageOf(error)] };
  }
}
