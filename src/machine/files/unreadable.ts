// A file that cannot be read, as a problem. Loads no package: hook scripts use it too.

import { SagaError, type Problem } from "../../errors.ts";
import { readProblem } from "./files.ts";

export function unreadable(file: string, error: unknown): Problem {
  const cause = error instanceof SagaError ? error.cause : error;
  return {
    file,
    severity: "error",
    message: `This ${readProblem(cause)}.`,
    fix: "Check its type and permissions.",
  };
}

/** The path in an error of the system, if it has one. */
export function fileIn(error: unknown): string | undefined {
  const { path } = ((error instanceof SagaError ? error.cause : error) ?? {}) as { path?: unknown };
  return typeof path === "string" ? path : undefined;
}

/** Undefined if it cannot be read, for whatever reason. */
export function ifReadable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
