// How an agent run really ended. Exit code, subtype and error flag are each wrong in some case, so all of them
// are used. Whether the work is done is another question: the task files answer it.

import { truncate } from "../text/one-line.ts";
import type { Outcome } from "../agent/agent.ts";
import { TASK_TOOLS } from "../agent/tool-names.ts";

/** The fields of the last `result` message that count. */
export interface RunResult {
  readonly subtype: string;
  readonly isError: boolean;
  readonly apiStatus: number | undefined;
  readonly terminalReason: string | undefined;
  readonly text: string;
}

export interface RunFacts {
  readonly result: RunResult | undefined;
  readonly exitCode: number | undefined;
  readonly signal: string | undefined;
  /** Tools announced at the start; undefined if it ended before. */
  readonly tools: readonly string[] | undefined;
  /** Tools that it needs; the Task tools by default. */
  readonly required?: readonly string[];
  /** The account's usage limit, as the service reported it. */
  readonly limit:
    | { readonly resetsAtMs: number | undefined; readonly family?: string | undefined }
    | undefined;
  /** The worker ended it. */
  readonly wasStopped: boolean;
  readonly stderr: string;
}

export function judgeRun(facts: RunFacts): Outcome {
  if (facts.wasStopped) return { kind: "stopped" };
  const missing = missingTools(facts.tools, facts.required);
  if (missing.length > 0) return lacksTools(missing);
  const { result } = facts;
  if (!result) return withoutResult(facts);
  if (result.subtype === "error_max_budget_usd") return OVER_BUDGET;
  const hasFailed =
    result.isError ||
    result.subtype !== "success" ||
    (result.terminalReason !== undefined && result.terminalReason !== "completed");
  if (hasFailed) return failed(result, facts);
  if (facts.exitCode !== 0) return crashed(endOf(facts));
  return { kind: "ended" };
}

const OVER_BUDGET: Outcome = { kind: "over-budget", reason: "Cost limit reached." };

/** Required tools that were not announced; empty until tools are announced. */
export const missingTools = (
  announced: readonly string[] | undefined,
  required: readonly string[] = TASK_TOOLS,
): readonly string[] =>
  announced === undefined ? [] : required.filter((tool) => !announced.includes(tool));

function failed(result: RunResult, facts: RunFacts): Outcome {
  if (facts.limit) {
    return {
      kind: "limit",
      reason: result.text || "The account's usage limit is reached.",
      ...facts.limit,
    };
  }
  switch (result.apiStatus) {
    case 429:
    case 503:
    case 529:
      return {
        kind: "limit",
        reason: `The API is overloaded (${result.apiStatus}).`,
        resetsAtMs: undefined,
      };
    case 401:
    case 403:
      return notLoggedIn(result.text);
    case 404:
      return {
        kind: "refused",
        reason: `The API does not know the model: ${oneLine(result.text)}`,
        hint: "Name another model with --model, or set claude.model.",
      };
    case undefined:
    default:
  }
  // An error of the service or the network usually ends within minutes.
  const isTemporary = result.apiStatus === undefined || result.apiStatus >= 500;
  const isLogin = /not logged in|\/login/i.test(result.text);
  if (result.terminalReason === "api_error" && isTemporary && !isLogin) {
    return {
      kind: "limit",
      reason: `The API cannot be reached: ${oneLine(result.text)}`,
      resetsAtMs: undefined,
    };
  }
  if (isLogin) return notLoggedIn(result.text);
  const why = oneLine(result.text) || `${result.subtype}, ${result.terminalReason ?? "no reason"}`;
  return crashed(`Claude Code gave up: ${why}`);
}

function withoutResult(facts: RunFacts): Outcome {
  if (/cannot be used with root/i.test(facts.stderr)) {
    return {
      kind: "refused",
      reason: "Claude Code refuses to run as root without asking for permissions.",
      hint: "Run Saga as another user, or set IS_SANDBOX=1 inside a container made for it.",
    };
  }
  return crashed(endOf(facts));
}

/** The text is Claude Code's: `--resume` with an id that it does not have. */
const crashed = (reason: string): Outcome => ({
  kind: "crashed",
  reason,
  ...(reason.includes("No conversation found") && { isConversationLost: true }),
});

const lacksTools = (missing: readonly string[]): Outcome => ({
  kind: "refused",
  reason: `This Claude Code does not offer ${missing.join(", ")}.`,
  hint: "`saga doctor` shows which Claude Code is used; set another with claude.path.",
});

const notLoggedIn = (text: string): Outcome => ({
  kind: "refused",
  reason: `Claude Code is not logged in: ${oneLine(text)}`,
  hint: "Start `claude` once and log in, or set ANTHROPIC_API_KEY.",
});

function endOf({ exitCode, signal, stderr }: RunFacts): string {
  const how =
    signal === undefined ? `ended with ${exitCode ?? "no exit code"}` : `was ended by ${signal}`;
  const lastLine = oneLine(stderr.split("\n").findLast((line) => line.trim() !== "") ?? "");
  return `Claude Code ${how}${lastLine === "" ? "." : `: ${lastLine}`}`;
}

const MAX_LENGTH = 300;
/** Cut text ends with a mark: the redactor recognizes the rest of a secret by it. */
const oneLine = (text: string): string => truncate(text.replaceAll(/\s+/g, " ").trim(), MAX_LENGTH);
