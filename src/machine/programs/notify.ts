// Ways to reach a person: the terminal's bell, the desktop, a command of their own, a web address.
// Each answers with a sentence when it did not work, and throws nothing: no work fails because nobody
// could be told about it.

import { setTimeout as wait } from "node:timers/promises";
import { plainEnvironment, PROXY_VARIABLES, type Environment } from "../processes/environment.ts";
import { errorCode } from "../files/files.ts";
import { run, type RunResult } from "../processes/run.ts";

/** Why it was not said; nothing when it was. */
export type Fault = string | undefined;

/** Where a person may be looking. */
export interface Terminal {
  readonly isTerminal: boolean;
  readonly write: (text: string) => void;
}

/** What a program needs to find the desktop of whoever is logged in. */
export const DESKTOP_VARIABLES = [
  "DBUS_SESSION_BUS_ADDRESS",
  "DISPLAY",
  "WAYLAND_DISPLAY",
  "XAUTHORITY",
] as const;

const DESKTOP_MS = 10_000;
const COMMAND_MS = 30_000;
const WEBHOOK_MS = 10_000;
/** Before the second try and the third. */
const PAUSES_MS = [1_000, 4_000] as const;
/** The reason is in the last words. */
const MAX_TAIL = 200;

export function ringBell(terminal: Terminal): Fault {
  if (!terminal.isTerminal) return "There is no terminal to ring in.";
  terminal.write("\u0007");
  return undefined;
}

export interface Shown {
  readonly title: string;
  readonly text: string;
}

export interface Desktop {
  readonly env: Environment;
  readonly platform: NodeJS.Platform;
  readonly timeoutMs?: number | undefined;
  readonly stop?: AbortSignal | undefined;
}

export async function showOnDesktop(shown: Shown, desktop: Desktop): Promise<Fault> {
  const [program, args] =
    desktop.platform === "darwin"
      ? (["osascript", macArguments(shown)] as const)
      : (["notify-send", linuxArguments(shown)] as const);
  const timeoutMs = desktop.timeoutMs ?? DESKTOP_MS;
  const result = await run(program, args, {
    env: plainEnvironment(desktop.env, DESKTOP_VARIABLES),
    timeoutMs,
    stop: desktop.stop,
    maxOutputBytes: 10_000,
  });
  return result.kind === "missing"
    ? `Notices on the desktop need \`${program}\`, which is not on PATH.`
    : faultOf(`\`${program}\``, result, timeoutMs);
}

/** The script is ours and fixed; what comes from outside is an argument. The first one ends options. */
const macArguments = ({ title, text }: Shown): string[] => [
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

/** The body is read for backslashes by notify-send, and for markup by the desktop. */
const linuxArguments = ({ title, text }: Shown): string[] => [
  "--",
  `Saga: ${title}`,
  text
    .replaceAll("\\", "\\\\")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;"),
];

export interface CommandPlace {
  readonly cwd: string;
  readonly env: Environment;
  /** What the command is told, besides its input. */
  readonly variables: Readonly<Record<string, string>>;
  readonly input: string;
  readonly timeoutMs?: number | undefined;
  readonly stop?: AbortSignal | undefined;
}

/** A shell, because it is the person's own command line. What it is about comes in variables. */
export async function runCommand(command: string, place: CommandPlace): Promise<Fault> {
  const timeoutMs = place.timeoutMs ?? COMMAND_MS;
  const result = await run("sh", ["-c", command], {
    cwd: place.cwd,
    env: {
      ...plainEnvironment(place.env, [...DESKTOP_VARIABLES, ...PROXY_VARIABLES]),
      ...place.variables,
    },
    input: place.input,
    timeoutMs,
    stop: place.stop,
    maxOutputBytes: 10_000,
  });
  return result.kind === "missing"
    ? "The command for notices could not be run: there is no shell or no folder for it."
    : faultOf("The command for notices", result, timeoutMs);
}

function faultOf(
  what: string,
  result: Exclude<RunResult, { kind: "missing" }>,
  timeoutMs: number,
): Fault {
  const last = `${result.stdout}\n${result.stderr}`.trim().slice(-MAX_TAIL);
  const tail = last === "" ? "." : `: ${last}`;
  switch (result.kind) {
    case "exited":
      return result.exitCode === 0
        ? undefined
        : `${what} failed with exit code ${result.exitCode}${tail}`;
    case "timed-out":
      return `${what} was ended, after at most ${timeoutMs / 1000} s${tail}`;
    case "killed":
      return `${what} was ended by ${result.signal}${tail}`;
  }
}

export interface PostOptions {
  readonly timeoutMs?: number | undefined;
  readonly pausesMs?: readonly number[] | undefined;
  readonly stop?: AbortSignal | undefined;
}

/**
 * Tries again while that may help. The address is a secret, so it is in no sentence: nor are the words
 * of the error, which may hold it. No redirect is followed: it would carry the notice elsewhere.
 */
export async function postToWebhook(
  address: string,
  body: unknown,
  { timeoutMs = WEBHOOK_MS, pausesMs = PAUSES_MS, stop }: PostOptions = {},
): Promise<Fault> {
  if (!URL.canParse(address)) return "The webhook for notices has no valid address.";
  for (let tries = 1; ; tries++) {
    const answer = await post(address, body, timeoutMs, stop);
    if (answer.fault === undefined) return undefined;
    const pauseMs = pausesMs[tries - 1];
    if (answer.isFinal || pauseMs === undefined || !(await paused(pauseMs, stop))) {
      return `The webhook for notices ${answer.fault}${tries > 1 ? `, ${tries} times` : ""}.`;
    }
  }
}

/** Whether to go on afterwards. */
const paused = (ms: number, stop: AbortSignal | undefined): Promise<boolean> =>
  wait(ms, true, stop && { signal: stop }).catch(() => false);

interface Answer {
  readonly fault: Fault;
  /** The same again would get the same. */
  readonly isFinal: boolean;
}

async function post(
  address: string,
  body: unknown,
  timeoutMs: number,
  stop: AbortSignal | undefined,
): Promise<Answer> {
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
    // What it has to say besides is not waited for.
    response.body?.cancel().catch(() => undefined);
    return judge(response.status);
  } catch (error) {
    if (stop?.aborted) return { fault: "was not waited for", isFinal: true };
    if (ended.signal.aborted)
      return { fault: `gave no answer within ${timeoutMs / 1000} s`, isFinal: false };
    const code = errorCode(error instanceof Error ? error.cause : undefined);
    return { fault: `could not be reached (${code ?? "no connection"})`, isFinal: false };
  } finally {
    clearTimeout(timer);
    stop?.removeEventListener("abort", end);
  }
}

function judge(status: number): Answer {
  if (status >= 200 && status < 300) return { fault: undefined, isFinal: true };
  if (status >= 300 && status < 400)
    return { fault: `answered ${status}: redirects are not followed`, isFinal: true };
  const isForNow = status >= 500 || status === 408 || status === 429;
  return { fault: `answered ${status}`, isFinal: !isForNow };
}
