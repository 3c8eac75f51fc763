// The only error class: the message says what happened, the hint what to do next.
// Expected outcomes (a lease held by someone else, nothing to do) are values, not errors.

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

/** The keys and indexes that lead to a field of a file: `["children", 0, "blockedBy"]`. */
export type FieldPath = readonly (string | number)[];

/** Something wrong in a file, in a form that people and editors can use. */
export interface Problem {
  readonly file: string;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
  readonly severity: "error" | "warning";
  /** What code decides by. `message` and `fix` are for people. */
  readonly key?: "unknown-field" | undefined;
  readonly path?: FieldPath | undefined;
  readonly message: string;
  /** The message without its subject, where the subject is the field: "is missing". */
  readonly reason?: string | undefined;
  readonly fix: string;
}

interface SagaErrorDetails {
  readonly hint?: string | undefined;
  readonly cause?: unknown;
  readonly problems?: readonly Problem[] | undefined;
  /** The id of the story or epic that was not found. Code decides by it, never by the sentence. */
  readonly missingId?: string | undefined;
}

export class SagaError extends Error {
  override readonly name = "SagaError";
  // `declare`: the constructor assigns them, and the hook scripts stay small.
  declare readonly code: ErrorCode;
  declare readonly hint: string | undefined;
  declare readonly problems: readonly Problem[];
  declare readonly missingId: string | undefined;

  constructor(
    code: ErrorCode,
    sentence: string,
    { hint, cause, problems = [], missingId }: SagaErrorDetails = {},
  ) {
    super(sentence, cause ? { cause } : undefined);
    this.code = code;
    this.hint = hint;
    this.problems = problems;
    this.missingId = missingId;
  }
}

/** For work that its caller aborted. Nothing was changed. */
export const stoppedError = (): SagaError =>
  new SagaError("stopped", "Stopped; nothing was changed.");

/** For a `catch`: work that was stopped has no result. Any other error is thrown again. */
export function ifStopped(error: unknown): undefined {
  if (error instanceof SagaError && error.code === "stopped") return undefined;
  throw error;
}

/** The message of anything that was thrown. */
export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

/** Message and hint in one text, for an agent or a log. */
export const messageWithHint = (error: unknown): string =>
  error instanceof SagaError && error.hint !== undefined
    ? `${error.message} ${error.hint}`
    : messageOf(error);
