// What the overseer makes of the end of a daemon, and how often it tries. Pure.
//
// A daemon that ends by itself with nothing wrong ends the overseer too. One that failed is helped and
// started again, each time after a longer pause; the same failure is tried so often and no more, and one
// that only a person can put right not at all.
// A daemon that ran for long before it failed again has left its earlier failures behind.

import { EXIT, type ExitCode } from "../../story/state/exit-codes.ts";
import type { PoolProblem } from "../../tasks/problem.ts";

export interface DaemonExit {
  readonly exitCode: number | undefined;
  readonly signal: string | undefined;
  /** The overseer ended it, because it gave no sign of life any more. */
  readonly wasHung: boolean;
  /** What it wrote down before it ended. */
  readonly failure: PoolProblem | undefined;
  /** Whether it got so far as to give a sign of life. */
  readonly hasLived: boolean;
  /** The last that it said. */
  readonly lastWords: string;
}

export type JudgedEnd =
  | { readonly kind: "clean"; readonly exitCode: ExitCode }
  | { readonly kind: "failed"; readonly failure: PoolProblem }
  /** It would not start, and said why: the same would come of trying again. */
  | { readonly kind: "refused"; readonly why: string };

export function judgeEnd(end: DaemonExit): JudgedEnd {
  const { exitCode, signal, failure } = end;
  if (end.wasHung) {
    const message = "The pool gave no sign of life any more, and was ended.";
    return { kind: "failed", failure: { kind: "hung", message } };
  }
  const clean = CLEAN_ENDS.find((code) => code === exitCode);
  if (clean !== undefined) return { kind: "clean", exitCode: clean };
  // Somebody asked it to end before it could answer.
  if (signal === "SIGTERM" || signal === "SIGINT") return { kind: "clean", exitCode: EXIT.error };
  if (failure !== undefined) return { kind: "failed", failure };
  if (signal === undefined && !end.hasLived) return { kind: "refused", why: end.lastWords };
  const how = signal === undefined ? `ended with ${exitCode}` : `was ended by ${signal}`;
  const said = end.lastWords === "" ? "" : ` Its last words: ${end.lastWords}`;
  return { kind: "failed", failure: { kind: "crashed", message: `The pool ${how}.${said}` } };
}

/** Starting it again would end the same way. */
const CLEAN_ENDS = [EXIT.done, EXIT.limit, EXIT.question, EXIT.notMerged, EXIT.usage] as const;

export interface RetryLimits {
  readonly repairs: number;
  readonly pauseMs: number;
}

/** However often it doubles. */
const MAX_PAUSE_MS = 10 * 60_000;

/** How often each failure was met, by its key. */
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

export function nextTry(tries: Tries, failure: PoolProblem, patience: RetryLimits): NextTry {
  const key = keyOf(failure);
  const attempts = tries.get(key) ?? 0;
  if (failure.needsPerson || attempts >= patience.repairs) return { kind: "give-up", attempts };
  return {
    kind: "try",
    attempt: attempts + 1,
    pauseMs: Math.min(patience.pauseMs * 2 ** attempts, MAX_PAUSE_MS),
    tries: new Map([...tries, [key, attempts + 1]]),
  };
}

/** The same failure, however it is worded. */
const keyOf = ({ kind, file }: PoolProblem): string => `${kind} ${file ?? ""}`;
