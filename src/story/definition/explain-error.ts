// What is wrong with a parsed file, in a sentence, and what to do about it.

import type * as z from "zod";
import { suggestField } from "../../text/did-you-mean.ts";

export type FieldPath = readonly (string | number)[];

/** Something wrong inside one file; where it stands is a path of keys. */
export interface FieldProblem {
  readonly path: FieldPath;
  readonly severity: "error" | "warning";
  readonly message: string;
  readonly fix: string;
}

export const errorAt = (path: FieldPath, message: string, fix: string): FieldProblem => ({
  path,
  severity: "error",
  message,
  fix,
});

export function explain(error: z.ZodError, input: unknown): FieldProblem[] {
  return error.issues.flatMap((issue) => {
    const path = issue.path.filter((step) => typeof step !== "symbol");
    if (issue.code === "unrecognized_keys") {
      return issue.keys.map((key) => unknownKey([...path, key]));
    }
    const said = sentence(issue, path, valueAt(input, path));
    const meant = said.message.endsWith(" is missing.") ? mistyped(path, input) : undefined;
    return [{ path, severity: "error", ...said, ...(meant !== undefined && { fix: meant }) }];
  });
}

/** What is missing may be there under a name that is nearly right. */
function mistyped(path: FieldPath, input: unknown): string | undefined {
  const around = valueAt(input, path.slice(0, -1));
  if (typeof around !== "object" || around === null) return undefined;
  const name = String(path.at(-1));
  const found = Object.keys(around).find((key) => suggestField(key, [name]) !== undefined);
  return found === undefined
    ? undefined
    : `Call it "${name}" where it says ${JSON.stringify(found)}.`;
}

/**
 * Fields of a file that nobody reads, and that are called almost like one that is. Others are whoever
 * wrote them's own: but a check under a wrong name would never be run.
 */
export const misnamedFields = (fields: object, known: readonly string[]): FieldProblem[] =>
  Object.keys(fields).flatMap((key) => {
    const meant = suggestField(key, known);
    if (meant === undefined) return [];
    return [
      {
        path: [key],
        severity: "warning",
        message: `\`${key}\` is not known here, and does nothing.`,
        fix: `Call it "${meant}", if that is what it is.`,
      },
    ];
  });

const unknownKey = (path: FieldPath): FieldProblem =>
  errorAt(path, `\`${fieldName(path)}\` is not known here.`, "Remove it, or correct its name.");

/** `children[0].blockedBy` */
export function fieldName(path: FieldPath): string {
  return path.reduce<string>(
    (name, step) =>
      typeof step === "number" ? `${name}[${step}]` : name === "" ? step : `${name}.${step}`,
    "",
  );
}

type ProblemText = Pick<FieldProblem, "message" | "fix">;

function sentence(issue: z.core.$ZodIssue, path: FieldPath, value: unknown): ProblemText {
  const name = path.length === 0 ? "The file" : `\`${fieldName(path)}\``;
  const key = String(path.at(-1) ?? "");
  if (value === undefined && issue.code !== "custom") {
    return { message: `${name} is missing.`, fix: `Add "${key}": ${example(issue)}.` };
  }
  switch (issue.code) {
    case "invalid_type":
      return {
        message: `${name} must be ${kindName(issue.expected)}, but is ${kindOf(value, issue.expected)}.`,
        fix: `Write it as ${example(issue)}.`,
      };
    case "invalid_value": {
      const allowed = issue.values.map(String).join(", ");
      return {
        message: `${name} must be one of ${allowed}, but is ${JSON.stringify(value)}.`,
        fix: `Use one of ${allowed}.`,
      };
    }
    case "too_small":
      if (issue.origin === "string") return { message: `${name} is empty.`, fix: "Fill it in." };
      return bound(name, `at least ${issue.minimum}`, value);
    case "too_big":
      if (issue.origin !== "string") return bound(name, `at most ${issue.maximum}`, value);
      return {
        message: `${name} is longer than ${issue.maximum} characters.`,
        fix: "Shorten it.",
      };
    case "invalid_format":
      // Our own rules speak for themselves; a long value need not be shown again.
      if (issue.message.startsWith("is longer than")) {
        return { message: `${name} ${issue.message}.`, fix: "Shorten it." };
      }
      if (issue.format === "datetime") {
        const message = `${name} must be a time, but is ${JSON.stringify(value)}.`;
        return { message, fix: 'Write it as "2026-11-15T12:00:00Z".' };
      }
      return {
        message: `${name} (${JSON.stringify(value)}) ${issue.message}.`,
        fix: "Correct it.",
      };
    case "unrecognized_keys":
    case "custom":
    case "not_multiple_of":
    case "invalid_union":
    case "invalid_key":
    case "invalid_element":
      return {
        message: `${name} (${JSON.stringify(value)}) ${issue.message}.`,
        fix: "Correct it.",
      };
  }
}

const bound = (name: string, limit: string, value: unknown): ProblemText => ({
  message: `${name} must be ${limit}, but is ${JSON.stringify(value)}.`,
  fix: `Use a value of ${limit}.`,
});

const KIND_NAMES: Readonly<Record<string, string>> = {
  array: "a list",
  boolean: "true or false",
  int: "a whole number",
  null: "null",
  number: "a number",
  object: "an object",
  record: "an object",
  string: "text",
};
const kindName = (kind: string): string => KIND_NAMES[kind] ?? kind;

function kindOf(value: unknown, expected: string): string {
  if (value === null) return "null";
  // A number where a number is wanted is wrong by what it is: a fraction, or none at all.
  const wantsNumber = expected === "number" || expected === "int";
  if (typeof value === "number" && wantsNumber) return String(value);
  return kindName(Array.isArray(value) ? "array" : typeof value);
}

function example(issue: z.core.$ZodIssue): string {
  if (issue.code === "invalid_value") return JSON.stringify(issue.values[0]);
  switch (issue.code === "invalid_type" ? issue.expected : undefined) {
    case "array":
      return "[]";
    case "boolean":
      return "true";
    case "int":
    case "number":
      return "1";
    case "object":
    case "record":
      return "{}";
    default:
      return '"…"';
  }
}

function valueAt(input: unknown, path: FieldPath): unknown {
  return path.reduce<unknown>(
    (value, step) =>
      typeof value === "object" && value !== null
        ? (value as Record<string | number, unknown>)[step]
        : undefined,
    input,
  );
}
