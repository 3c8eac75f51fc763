// An error as an outcome: the process that waits for it may not be the one that lands.

import { messageOf, SagaError, type ErrorCode } from "../errors.ts";

export function failureOf(error: unknown): { readonly error: object } {
  if (!(error instanceof SagaError)) return { error: { code: "bug", message: messageOf(error) } };
  const { code, message, hint, problems } = error;
  return { error: { code, message, hint, problems } };
}

/** Throws the error that an outcome holds. */
export function requireOutcome(value: unknown): object {
  if (typeof value !== "object" || value === null) {
    throw new SagaError("bug", "The outcome of a merge cannot be read.", {
      hint: "Look at the target with `git log`, and run the command again.",
    });
  }
  const error: unknown = Reflect.get(value, "error");
  if (typeof error !== "object" || error === null) return value;
  const { code, message, hint, problems } = error as {
    readonly code: ErrorCode;
    readonly message: string;
    readonly hint?: string;
    readonly problems?: SagaError["problems"];
  };
  throw new SagaError(code, message, { hint, problems });
}
