// How a headless run really ended. Exit code, subtype and error flag each lie in some case, so all of
// them are asked; whether the work is done is yet another question, and the task files answer it.

import { truncate } from "../text/one-line.ts";
import { TASK_TOOLS } from "./probe.ts";

/** The last `result` line: as far as it counts. */
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
  /** Tools announced at the start; nothing when it did not get so far. */
  readonly tools: readonly string[] | undefined;
  /** Those that it needs: the Task tools, when nothing is said. */
  readonly required?: readonly string[];
  /** The service said that the account's limit is reached, and perhaps until when. */
  readonly limit:
    | { readonly resetsAtMs: number | undefined; readonly family?: string | undefined }
    | undefined;
  /** The worker ended it. */
  readonly wasStopped: boolean;
  /** It has spent all that it may. */
  readonly isOverBudget?: boolean;
  readonly stderr: string;
}

export type Outcome =
  | { readonly kind: "ended" }
  | { readonly kind: "stopped" }
  /** Nobody's fault, and it passes: wait, then go on in the same conversation. */
  | {
      readonly kind: "limit";
      readonly reason: string;
      readonly resetsAtMs: number | undefined;
      /** Only these models have reached it: `opus`. */
      readonly family?: string | undefined;
    }
  | { readonly kind: "over-budget"; readonly reason: string }
  /** It cannot work like this, however often it is tried. */
  | { readonly kind: "refused"; readonly reason: string; readonly hint: string }
  | { readonly kind: "crashed"; readonly reason: string };

export function judgeRun(facts: RunFacts): Outcome {
  if (facts.wasStopped) return { kind: "stopped" };
  if (facts.isOverBudget) return OVER_BUDGET;
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
  if (facts.exitCode !== 0) return { kind: "crashed", reason: endOf(facts) };
  return { kind: "ended" };
}

const OVER_BUDGET: Outcome = { kind: "over-budget", reason: "Cost limit reached." };

/** The conversation to go on with is gone: it can be begun anew, and nothing is lost but what was said. */
export const isForgotten = (outcome: Outcome): boolean =>
  outcome.kind === "crashed" && outcome.reason.includes("No conversation found");

/** Of those that were announced; nothing before they were. */
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
        reason: `The model's service takes no more for now (${result.apiStatus}).`,
        resetsAtMs: undefined,
      };
    case 401:
    case 403:
      return notLoggedIn(result.text);
    case 404:
      return {
        kind: "refused",
        reason: `The model's service does not know what was asked for: ${oneLine(result.text)}`,
        hint: "Name another model with --model, or set claude.model.",
      };
    case undefined:
    default:
  }
  // A fault of the service, or no way to it: usually over in minutes, and nothing the story can help.
  const isPassing = result.apiStatus === undefined || result.apiStatus >= 500;
  const isLogin = /not logged in|\/login/i.test(result.text);
  if (result.terminalReason === "api_error" && isPassing && !isLogin) {
    return {
      kind: "limit",
      reason: `The model's service cannot be reached: ${oneLine(result.text)}`,
      resetsAtMs: undefined,
    };
  }
  if (/not logged in|\/login/i.test(result.text)) return notLoggedIn(result.text);
  const said = oneLine(result.text) || `${result.subtype}, ${result.terminalReason ?? "no reason"}`;
  return { kind: "crashed", reason: `Claude Code gave up: ${said}` };
}

function withoutResult(facts: RunFacts): Outcome {
  if (/cannot be used with root/i.test(facts.stderr)) {
    return {
      kind: "refused",
      reason: "Claude Code does not work for root without asking at every step.",
      hint: "Run Saga as another user, or set IS_SANDBOX=1 inside a container that is made for it.",
    };
  }
  return { kind: "crashed", reason: endOf(facts) };
}

const lacksTools = (missing: readonly string[]): Outcome => ({
  kind: "refused",
  reason: `This Claude Code does not offer ${missing.join(", ")}.`,
  hint: "`saga doctor` shows which Claude Code is used; name another with claude.path.",
});

const notLoggedIn = (text: string): Outcome => ({
  kind: "refused",
  reason: `Claude Code is not logged in: ${oneLine(text)}`,
  hint: "Start `claude` once and log in, or set ANTHROPIC_API_KEY.",
});

function endOf({ exitCode, signal, stderr }: RunFacts): string {
  const how =
    signal === undefined ? `ended with ${exitCode ?? "no exit code"}` : `was ended by ${signal}`;
  const said = oneLine(stderr.split("\n").findLast((line) => line.trim() !== "") ?? "");
  return `Claude Code ${how}${said === "" ? "." : `: ${said}`}`;
}

const MAX_SAID = 300;
/** What is cut says so: by that, what is left of a secret in it is known. */
const oneLine = (text: string): string => truncate(text.replaceAll(/\s+/g, " ").trim(), MAX_SAID);
