// GitHub's API through `gh`, with the login that the user has given it. Whatever GitHub answers is a
// value; no answer at all is an error. Nothing can make it ask a question, and no token is ever shown.
// It never tries twice by itself: whoever calls knows what may be repeated, and when.

import { SagaError } from "../../errors.ts";
import { plainEnvironment, PROXY_VARIABLES, type Environment } from "../processes/environment.ts";
import { jsonIn } from "../../text/parse-json.ts";
import { newRedactor } from "../files/redact.ts";
import { run, type RunResult } from "../processes/run.ts";

export interface Gh {
  /** `attempt` begins the sentence if it fails: "Looking for …". */
  readonly ask: (attempt: string, question: GhQuestion) => Promise<GhAnswer>;
}

export interface GhQuestion {
  readonly method: "GET" | "POST" | "PATCH";
  /** Without a leading slash; whatever is put into it is URL-encoded, colons too (see `ask`). */
  readonly path: string;
  /** Travels as JSON on standard input: words of people never stand on a command line. */
  readonly body?: unknown;
}

export interface GhAnswer {
  readonly isOk: boolean;
  readonly status: number;
  /** The JSON of it; nothing when it was something else. */
  readonly body: unknown;
}

export interface GhPlace {
  readonly host: string;
  readonly folder: string;
  readonly env: Environment;
  readonly timeoutMs?: number | undefined;
}

/** GitHub itself gives up after ten seconds; the rest is for a slow line. */
const TIMEOUT_MS = 30_000;
/** A hundred pull requests with the longest texts that GitHub takes. */
const MAX_OUTPUT_BYTES = 50_000_000;
/** What `gh` ends with when it has no login at all. */
const NO_LOGIN = 4;

const TOKENS = ["GH_TOKEN", "GITHUB_TOKEN", "GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN"];
const VARIABLES = [
  ...TOKENS,
  "GH_HOST",
  "GH_CONFIG_DIR",
  // The way to the system's keyring, where newer ones keep the login.
  "DBUS_SESSION_BUS_ADDRESS",
  ...PROXY_VARIABLES,
];

export function openGh({ host, folder, env, timeoutMs = TIMEOUT_MS }: GhPlace): Gh {
  return {
    async ask(attempt, { method, path, body }) {
      // `gh` would replace `:owner`, `:repo` and `:branch` in the path, also within a branch's name.
      const words = ["api", "--hostname", host, "--include", "--method", method, path];
      const result = await run("gh", body === undefined ? words : [...words, "--input", "-"], {
        cwd: folder,
        env: ghEnvironment(env),
        input: body === undefined ? undefined : JSON.stringify(body),
        timeoutMs,
        maxOutputBytes: MAX_OUTPUT_BYTES,
      });
      const answer = answerIn(result);
      if (answer !== undefined) return answer;
      const { said, hint } = silence(result, host, timeoutMs);
      throw failure(attempt, oneLine(said, env), hint);
    },
  };
}

/** The error for an answer that is a refusal. */
export function refusal(
  attempt: string,
  answer: GhAnswer,
  { host, env }: Pick<GhPlace, "host" | "env">,
): SagaError {
  const { status } = answer;
  const said = oneLine(messagesIn(answer.body).join(": "), env);
  const code = `HTTP ${status}`;
  return failure(
    attempt,
    said === "" ? `GitHub answers ${code}` : `GitHub says "${said}" (${code})`,
    hintFor(status, said, host),
  );
}

/** What GitHub said, from the general to the particular. */
export function messagesIn(body: unknown): string[] {
  if (!isObject(body)) return [];
  const details = Array.isArray(body["errors"]) ? body["errors"].map(detail) : [];
  return [body["message"], ...details].flatMap((text) =>
    typeof text === "string" && text !== "" ? [text] : [],
  );
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** For text that people will see. */
export const withoutSecrets = (text: string, env: Environment = {}): string =>
  newRedactor(TOKENS.map((name) => env[name] ?? ""))(text);

const ghEnvironment = (env: Environment): Record<string, string> => ({
  ...plainEnvironment(env, VARIABLES),
  GH_PROMPT_DISABLED: "1",
  GH_NO_UPDATE_NOTIFIER: "1",
  NO_COLOR: "1",
});

/** Nothing when there was none, or only the beginning of one. */
function answerIn(result: RunResult): GhAnswer | undefined {
  if (result.kind !== "exited") return undefined;
  const { stdout, exitCode } = result;
  const status = /^HTTP\/\S+ (?<status>\d{3})/.exec(stdout)?.groups?.["status"];
  const head = /\r?\n\r?\n/.exec(stdout);
  if (status === undefined || head === null) return undefined;
  const body = jsonIn(stdout.slice(head.index + head[0].length));
  // The line broke in the middle of a good answer: `gh` says how.
  if (exitCode !== 0 && status.startsWith("2") && body === undefined) return undefined;
  return { isOk: exitCode === 0, status: Number(status), body };
}

interface Reason {
  readonly said: string;
  readonly hint: string;
}

/** Why there was no answer. */
function silence(result: RunResult, host: string, timeoutMs: number): Reason {
  switch (result.kind) {
    case "missing":
      return {
        said: "there is no gh on this machine, or no such folder",
        hint: "`saga doctor` says how to install it.",
      };
    case "timed-out":
      return { said: `no answer within ${timeoutMs / 1000} s`, hint: LATER };
    case "killed":
      return { said: `gh was ended by ${result.signal}`, hint: LATER };
    case "exited":
      return result.exitCode === NO_LOGIN
        ? { said: `nobody is logged in to ${host}`, hint: logIn(host) }
        : { said: result.stderr.trim() || "gh gave no answer", hint: LATER };
  }
}

const LATER = "Nothing was lost. Check the network, and run the command again.";
const logIn = (host: string): string =>
  `Run \`gh auth login --hostname ${host}\`, or set GH_TOKEN to a token that is still good.`;

function hintFor(status: number, said: string, host: string): string {
  if (status === 401) return logIn(host);
  if (status === 429 || /rate limit/i.test(said)) {
    return "Nothing was lost. Wait until GitHub takes requests again, and run the command again.";
  }
  if (status === 403 || status === 404) {
    return "`gh auth status` shows who is logged in: that login must be allowed to do this.";
  }
  if (status >= 300 && status < 400) {
    return "The repository has moved: give its new address to `git remote set-url origin <address>`.";
  }
  if (status >= 500) return LATER;
  return "Nothing was lost. Put right what GitHub says, and run the command again.";
}

const failure = (attempt: string, said: string, hint: string): SagaError =>
  new SagaError("program-failed", `${attempt} failed: ${said.replace(/\.$/, "")}.`, { hint });

/** Enough to understand it. */
const MAX_SAID = 300;

function oneLine(text: string, env: Environment): string {
  // oxlint-disable-next-line no-control-regex -- these are what is taken out
  const line = withoutSecrets(text, env).replaceAll(/[\s\u0000-\u001f\u007f]+/g, " ");
  return line.length > MAX_SAID ? `${line.slice(0, MAX_SAID)}…` : line;
}

/** A sentence of its own, or which field of what was sent is wrong. */
function detail(error: unknown): unknown {
  if (!isObject(error)) return error;
  const { message, field, code } = error;
  if (typeof message === "string") return message;
  return typeof field === "string" && typeof code === "string" ? `${field} is ${code}` : undefined;
}
