// GitHub's API through `gh`, with the user's login. Any answer is a value; no answer is an error. It never prompts,
// shows no token, and never retries: the caller knows what may be repeated.

import { SagaError } from "../../errors.ts";
import { plainEnvironment, PROXY_VARIABLES, type Environment } from "../processes/environment.ts";
import { parseJson } from "../../text/parse-json.ts";
import { newRedactor } from "../files/redact.ts";
import { run, type ProgramResult } from "../processes/run.ts";

export interface Gh {
  /** `attempt` begins the error message: "Finding …". */
  readonly ask: (attempt: string, question: GhRequest) => Promise<GhResponse>;
}

export interface GhRequest {
  readonly method: "GET" | "POST" | "PATCH";
  /** Without a leading slash; values in it are URL-encoded, colons too. */
  readonly path: string;
  /** Sent as JSON on standard input, never on the command line. */
  readonly body?: unknown;
}

export interface GhResponse {
  readonly isOk: boolean;
  readonly status: number;
  /** Undefined when it is not JSON. */
  readonly body: unknown;
}

export interface GhOptions {
  readonly host: string;
  readonly folder: string;
  readonly env: Environment;
  readonly timeoutMs?: number | undefined;
}

/** GitHub itself gives up after ten seconds; the rest is for a slow connection. */
const TIMEOUT_MS = 30_000;
/** A hundred pull requests with the longest texts that GitHub allows. */
const MAX_OUTPUT_BYTES = 50_000_000;
/** The exit code of `gh` without a login. */
const NO_LOGIN = 4;

const TOKENS = ["GH_TOKEN", "GITHUB_TOKEN", "GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN"];
const VARIABLES = [
  ...TOKENS,
  "GH_HOST",
  "GH_CONFIG_DIR",
  // For the system's keyring, where newer versions keep the login.
  "DBUS_SESSION_BUS_ADDRESS",
  ...PROXY_VARIABLES,
];

export function openGh({ host, folder, env, timeoutMs = TIMEOUT_MS }: GhOptions): Gh {
  return {
    async ask(attempt, { method, path, body }) {
      // `gh` replaces `:owner`, `:repo` and `:branch` in the path, also within a branch name: hence the encoded colons.
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
      const { reason, hint } = whyNoResponse(result, host, timeoutMs);
      throw failure(attempt, oneLine(reason, env), hint);
    },
  };
}

/** The error for an answer with an error status. */
export function responseError(
  attempt: string,
  answer: GhResponse,
  { host, env }: Pick<GhOptions, "host" | "env">,
): SagaError {
  const { status } = answer;
  const reason = oneLine(messagesIn(answer.body).join(": "), env);
  const code = `HTTP ${status}`;
  return failure(
    attempt,
    reason === "" ? `GitHub answered ${code}` : `GitHub says "${reason}" (${code})`,
    hintFor(status, reason, host),
  );
}

/** GitHub's messages, the general one first. */
export function messagesIn(body: unknown): string[] {
  if (!isObject(body)) return [];
  const details = Array.isArray(body["errors"]) ? body["errors"].map(detail) : [];
  return [body["message"], ...details].flatMap((text) =>
    typeof text === "string" && text !== "" ? [text] : [],
  );
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const withoutSecrets = (text: string, env: Environment = {}): string =>
  newRedactor(TOKENS.map((name) => env[name] ?? ""))(text);

const ghEnvironment = (env: Environment): Record<string, string> => ({
  ...plainEnvironment(env, VARIABLES),
  GH_PROMPT_DISABLED: "1",
  GH_NO_UPDATE_NOTIFIER: "1",
  NO_COLOR: "1",
});

/** Undefined when there was none, or an incomplete one. */
function answerIn(result: ProgramResult): GhResponse | undefined {
  if (result.kind !== "exited") return undefined;
  const { stdout, exitCode } = result;
  const status = /^HTTP\/\S+ (?<status>\d{3})/.exec(stdout)?.groups?.["status"];
  const head = /\r?\n\r?\n/.exec(stdout);
  if (status === undefined || head === null) return undefined;
  const body = parseJson(stdout.slice(head.index + head[0].length));
  // The connection broke in the middle of a good answer: `gh`'s message says how.
  if (exitCode !== 0 && status.startsWith("2") && body === undefined) return undefined;
  return { isOk: exitCode === 0, status: Number(status), body };
}

interface NoResponse {
  readonly reason: string;
  readonly hint: string;
}

/** Why there was no answer. */
function whyNoResponse(result: ProgramResult, host: string, timeoutMs: number): NoResponse {
  switch (result.kind) {
    case "missing":
      return {
        reason: "gh is not installed, or the folder does not exist",
        hint: "Run `saga doctor` to see how to install it.",
      };
    case "timed-out":
      return { reason: `no answer within ${timeoutMs / 1000} s`, hint: LATER };
    case "killed":
      return { reason: `gh was killed by ${result.signal}`, hint: LATER };
    case "exited":
      return result.exitCode === NO_LOGIN
        ? { reason: `not logged in to ${host}`, hint: logIn(host) }
        : { reason: result.stderr.trim() || "gh gave no answer", hint: LATER };
  }
}

const LATER = "No work was lost. Check the network and run the command again.";
const logIn = (host: string): string =>
  `Run \`gh auth login --hostname ${host}\`, or set GH_TOKEN to a valid token.`;

function hintFor(status: number, reason: string, host: string): string {
  if (status === 401) return logIn(host);
  if (status === 429 || /rate limit/i.test(reason)) {
    return "No work was lost. Wait until the rate limit resets and run the command again.";
  }
  if (status === 403 || status === 404) {
    return "Check with `gh auth status` that your login may do this.";
  }
  if (status >= 300 && status < 400) {
    return "The repository has moved. Set its new address: `git remote set-url origin <address>`.";
  }
  if (status >= 500) return LATER;
  return "No work was lost. Fix the problem that GitHub reports and run the command again.";
}

const failure = (attempt: string, reason: string, hint: string): SagaError =>
  new SagaError("program-failed", `${attempt} failed: ${reason.replace(/\.$/, "")}.`, { hint });

const MAX_REASON_LENGTH = 300;

function oneLine(text: string, env: Environment): string {
  // oxlint-disable-next-line no-control-regex -- they are removed
  const line = withoutSecrets(text, env).replaceAll(/[\s\u0000-\u001f\u007f]+/g, " ");
  return line.length > MAX_REASON_LENGTH ? `${line.slice(0, MAX_REASON_LENGTH)}…` : line;
}

/** Its message, or which sent field is wrong. */
function detail(error: unknown): unknown {
  if (!isObject(error)) return error;
  const { message, field, code } = error;
  if (typeof message === "string") return message;
  return typeof field === "string" && typeof code === "string" ? `${field} is ${code}` : undefined;
}
