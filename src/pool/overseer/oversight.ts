// How the overseer judges the end of a daemon, and how often it tries again. Pure.
//
// A daemon that ends normally ends the overseer too. After a failure it is repaired and started again, each time after
// a longer pause. The same failure is repaired a limited number of times; a failure that needs a person not at all.
// If a daemon ran for long before it failed, its earlier failures do not count.

import { EXIT, type ExitCode } from "../../story/state/exit-codes.ts";
import type { PoolProblem } from "../../tasks/problem.ts";

export interface DaemonExit {
  readonly exitCode: number | undefined;
  readonly signal: string | undefined;
  /** The overseer ended it because it was hung. */
  readonly wasHung: boolean;
  /** The failure that it wrote to its folder. */
  readonly failure: PoolProblem | undefined;
  /** It got as far as writing its file. */
  readonly hasLived: boolean;
  /** Its last output. */
  readonly lastWords: string;
}

export type JudgedEnd =
  | { readonly kind: "clean"; readonly exitCode: ExitCode }
  | { readonly kind: "failed"; readonly failure: PoolProblem }
  /** It refused to start: trying again would have the same result. */
  | { readonly kind: "refused"; readonly why: string };

export function judgeEnd(end: DaemonExit): JudgedEnd {
  const { exitCode, signal, failure } = end;
  if (end.wasHung) {
    const message = "The pool did not respond and was killed.";
    return { kind: "failed", failure: { kind: "hung", message } };
  }
  const clean = CLEAN_ENDS.find((code) => code === exitCode);
  if (clean !== undefined) return { kind: "clean", exitCode: clean };
  // It was asked to end before it could print its result.
  if (signal === "SIGTERM" || signal === "SIGINT") return { kind: "clean", exitCode: EXIT.error };
  if (failure !== undefined) return { kind: "failed", failure };
  if (signal === undefined && !end.hasLived) return { kind: "refused", why: end.lastWords };
  const how = signal === undefined ? `ended with ${exitCode}` : `was ended by ${signal}`;
  const output = end.lastWords === "" ? "" : ` Its last output: ${end.lastWords}`;
  return { kind: "failed", failure: { kind: "crashed", message: `The pool ${how}.${output}` } };
}

/** Exit codes that do not mean failure: starting again would end the same way. */
const CLEAN_ENDS = [EXIT.done, EXIT.limit, EXIT.question, EXIT.notMerged, EXIT.usage] as const;

export interface RetryLimits {
  readonly repairs: number;
  readonly pauseMs: number;
}

/** The pause doubles up to this. */
const MAX_PAUSE_MS = 10 * 60_000;

/** How often each failure occurred, by its key. */
export type Tries = ReadonlyMap<string, number>;

export const NO_TRIES: Tries = new Map();

export type NextTry =
  | {
      readonly kind: "try";
      readonly attempt: number;
      readonly pauseMs: number;
      readonly tries: Tries;
    }
  | { readonly kind: "give-up"; readonly attempts: number };

export function nextTry(tries: Tries, failure: PoolProblem, limits: RetryLimits): NextTry {
  const key = keyOf(failure);
  const attempts = tries.get(key) ?? 0;
  if (failure.needsPerson || attempts >= limits.repairs) return { kind: "give-up", attempts };
  return {
    kind: "try",
    attempt: attempts + 1,
    pauseMs: Math.min(limits.pauseMs * 2 ** attempts, MAX_PAUSE_MS),
    tries: new Map([...tries, [key, attempts + 1]]),
  };
}

/** Identifies a failure without its message. */
const keyOf = ({ kind, file }: PoolProblem): string => `${kind} ${file ?? ""}`;
