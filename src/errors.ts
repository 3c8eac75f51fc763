// The one error of the product. What happened is the message, what to do next is the hint.
// Expected outcomes (a lease held by someone else, nothing to do) are values, never errors.

export type ErrorCode =
  | "bad-id"
  | "bad-file"
  | "bad-plan"
  | "bad-setting"
  | "exists"
  | "not-found"
  | "no-project"
  | "in-use"
  | "not-ready"
  | "unsafe-path"
  | "disk-full"
  | "not-writable"
  | "program-failed"
  | "usage"
  | "stopped"
  | "bug";

/** One thing wrong with one file, as people and editors can use it. */
export interface Problem {
  readonly file: string;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
  readonly severity: "error" | "warning";
  readonly message: string;
  readonly fix: string;
}

interface SagaErrorDetails {
  readonly hint?: string | undefined;
  readonly cause?: unknown;
  readonly problems?: readonly Problem[] | undefined;
}

export class SagaError extends Error {
  override readonly name = "SagaError";
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly problems: readonly Problem[];

  constructor(code: ErrorCode, sentence: string, details: SagaErrorDetails = {}) {
    super(sentence, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.hint = details.hint;
    this.problems = details.problems ?? [];
  }
}

/** Whoever asked it to end knows why: what was under way is as if it had not been begun. */
export const stoppedError = (): SagaError =>
  new SagaError("stopped", "It was stopped; nothing was changed.");

/** For a `catch`: what was cut off has no result. Anything else that was thrown goes on its way. */
export function ifStopped(error: unknown): undefined {
  if (error instanceof SagaError && error.code === "stopped") return undefined;
  throw error;
}

/** What went wrong, of whatever was thrown. */
export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

/** That and what to do about it, for whoever can only be told in one piece: an agent, a log. */
export const messageWithHint = (error: unknown): string =>
  error instanceof SagaError && error.hint !== undefined
    ? `${error.message} ${error.hint}`
    : messageOf(error);
