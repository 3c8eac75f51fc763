// Ways to notify a person: the terminal's bell, the desktop, a command, a webhook. Each returns a sentence when it fails
// and never throws: no work may fail because of a notification.

import { setTimeout as wait } from "node:timers/promises";
import { findProgram } from "../processes/find-program.ts";
import { plainEnvironment, PROXY_VARIABLES, type Environment } from "../processes/environment.ts";
import { errorCode } from "../files/files.ts";
import { run, type ProgramResult } from "../processes/run.ts";

/** Why a notification was not sent; undefined when it was. */
export type SendFailure = string | undefined;

export interface Terminal {
  readonly isTerminal: boolean;
  readonly write: (text: string) => void;
}

/** What a program needs to reach the user's desktop. */
export const DESKTOP_VARIABLES = [
  "DBUS_SESSION_BUS_ADDRESS",
  "DISPLAY",
  "WAYLAND_DISPLAY",
  "XAUTHORITY",
] as const;

const DESKTOP_MS = 10_000;
const COMMAND_MS = 30_000;
const WEBHOOK_MS = 10_000;
/** Before the second and the third attempt. */
const PAUSES_MS = [1_000, 4_000] as const;
/** The reason is at the end of the output. */
const MAX_TAIL = 200;

export function ringBell(terminal: Terminal): SendFailure {
  if (!terminal.isTerminal) return "The terminal's bell needs a terminal.";
  terminal.write("\u0007");
  return undefined;
}

export interface DesktopMessage {
  readonly title: string;
  readonly text: string;
}

export interface DesktopOptions {
  readonly env: Environment;
  readonly platform: NodeJS.Platform;
  readonly timeoutMs?: number | undefined;
  readonly stop?: AbortSignal | undefined;
}

/** Whether a notification would reach a desktop: its program is installed, and a desktop is running. */
export const hasDesktop = ({ env, platform }: Pick<DesktopOptions, "env" | "platform">): boolean =>
  platform === "darwin"
    ? findProgram("osascript", env) !== undefined
    : (env["DISPLAY"] || env["WAYLAND_DISPLAY"]) !== undefined &&
      findProgram("notify-send", env) !== undefined;

export async function showOnDesktop(
  message: DesktopMessage,
  desktop: DesktopOptions,
): Promise<SendFailure> {
  const [program, args] =
    desktop.platform === "darwin"
      ? (["osascript", macArguments(message)] as const)
      : (["notify-send", linuxArguments(message)] as const);
  const timeoutMs = desktop.timeoutMs ?? DESKTOP_MS;
  const result = await run(program, args, {
    env: plainEnvironment(desktop.env, DESKTOP_VARIABLES),
    timeoutMs,
    stop: desktop.stop,
    maxOutputBytes: 10_000,
  });
  return result.kind === "missing"
    ? `Desktop notifications need \`${program}\`, which is not on PATH.`
    : failureOf(`\`${program}\``, result, timeoutMs);
}

/** The script is fixed; data are only arguments. The first one ends the options. */
const macArguments = ({ title, text }: DesktopMessage): string[] => [
  "-e",
  "on run argv",
  "-e",
  "display notification (item 3 of argv) with title (item 1 of argv) subtitle (item 2 of argv)",
  "-e",
  "end run",
  "Saga",
  title,
  text,
];

/** notify-send interprets backslashes in the body, and the desktop markup. */
const linuxArguments = ({ title, text }: DesktopMessage): string[] => [
  "--",
  `Saga: ${title}`,
  text
    .replaceAll("\\", "\\\\")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;"),
];

export interface NotificationCommand {
  readonly cwd: string;
  readonly env: Environment;
  /** Set for the command, in addition to its input. */
  readonly variables: Readonly<Record<string, string>>;
  readonly input: string;
  readonly timeoutMs?: number | undefined;
  readonly stop?: AbortSignal | undefined;
}

/** In a shell, because it is the person's own command line. Data are passed in variables. */
export async function runNotificationCommand(
  command: string,
  options: NotificationCommand,
): Promise<SendFailure> {
  const timeoutMs = options.timeoutMs ?? COMMAND_MS;
  const result = await run("sh", ["-c", command], {
    cwd: options.cwd,
    env: {
      ...plainEnvironment(options.env, [...DESKTOP_VARIABLES, ...PROXY_VARIABLES]),
      ...options.variables,
    },
    input: options.input,
    timeoutMs,
    stop: options.stop,
    maxOutputBytes: 10_000,
  });
  return result.kind === "missing"
    ? "The notification command could not run: no shell, or its folder does not exist."
    : failureOf("The notification command", result, timeoutMs);
}

function failureOf(
  what: string,
  result: Exclude<ProgramResult, { kind: "missing" }>,
  timeoutMs: number,
): SendFailure {
  const last = `${result.stdout}\n${result.stderr}`.trim().slice(-MAX_TAIL);
  const tail = last === "" ? "." : `: ${last}`;
  switch (result.kind) {
    case "exited":
      return result.exitCode === 0
        ? undefined
        : `${what} failed with exit code ${result.exitCode}${tail}`;
    case "timed-out":
      return `${what} was stopped after at most ${timeoutMs / 1000} s${tail}`;
    case "killed":
      return `${what} was killed by ${result.signal}${tail}`;
  }
}

export interface WebhookOptions {
  readonly timeoutMs?: number | undefined;
  readonly pausesMs?: readonly number[] | undefined;
  readonly stop?: AbortSignal | undefined;
}

/**
 * Retries while that may help. The address is a secret, so no message contains it, nor the error's text, which may. No
 * redirect is followed: it would send the notification elsewhere.
 */
export async function postToWebhook(
  address: string,
  body: unknown,
  { timeoutMs = WEBHOOK_MS, pausesMs = PAUSES_MS, stop }: WebhookOptions = {},
): Promise<SendFailure> {
  if (!URL.canParse(address)) return "The webhook's address is invalid.";
  for (let tries = 1; ; tries++) {
    const answer = await post(address, body, timeoutMs, stop);
    if (answer.failure === undefined) return undefined;
    const pauseMs = pausesMs[tries - 1];
    if (answer.isFinal || pauseMs === undefined || !(await paused(pauseMs, stop))) {
      return `The webhook ${answer.failure}${tries > 1 ? `, ${tries} times` : ""}.`;
    }
  }
}

/** False when stopped. */
const paused = (ms: number, stop: AbortSignal | undefined): Promise<boolean> =>
  wait(ms, true, stop && { signal: stop }).catch(() => false);

interface WebhookResponse {
  readonly failure: SendFailure;
  /** A retry would not help. */
  readonly isFinal: boolean;
}

async function post(
  address: string,
  body: unknown,
  timeoutMs: number,
  stop: AbortSignal | undefined,
): Promise<WebhookResponse> {
  const ended = new AbortController();
  const end = (): void => ended.abort();
  const timer = setTimeout(end, timeoutMs);
  stop?.addEventListener("abort", end, { once: true });
  if (stop?.aborted) end();
  try {
    const response = await fetch(address, {
      method: "POST",
      headers: { "content-type": "application/json; charset=utf-8" },
      body: JSON.stringify(body),
      redirect: "manual",
      signal: ended.signal,
    });
    // The response's body is not needed.
    response.body?.cancel().catch(() => undefined);
    return judge(response.status);
  } catch (error) {
    if (stop?.aborted) return { failure: "was not waited for", isFinal: true };
    if (ended.signal.aborted)
      return { failure: `gave no answer within ${timeoutMs / 1000} s`, isFinal: false };
    const code = errorCode(error instanceof Error ? error.cause : undefined);
    return { failure: `could not be reached (${code ?? "no connection"})`, isFinal: false };
  } finally {
    clearTimeout(timer);
    stop?.removeEventListener("abort", end);
  }
}

function judge(status: number): WebhookResponse {
  if (status >= 200 && status < 300) return { failure: undefined, isFinal: true };
  if (status >= 300 && status < 400)
    return { failure: `answered ${status}: redirects are not followed`, isFinal: true };
  const isForNow = status >= 500 || status === 408 || status === 429;
  return { failure: `answered ${status}`, isFinal: !isForNow };
}
