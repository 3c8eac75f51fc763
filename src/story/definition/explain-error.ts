// Turns what a schema found wrong with a file into problems: a sentence, and what to do about it.

import type * as z from "zod";
import type { FieldPath, Problem } from "../../errors.ts";
import { suggestField } from "../../text/did-you-mean.ts";

/** A problem whose file and line are not known yet: `path` leads to its field. */
export interface FieldProblem extends Omit<Problem, "file" | "line" | "column"> {
  readonly path: FieldPath;
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
      return issue.keys.map((key) => unknownField([...path, key]));
    }
    const value = valueAt(input, path);
    const isMissing = value === undefined && issue.code !== "custom";
    return [isMissing ? missingField(issue, path, input) : invalidField(issue, path, value)];
  });
}

/** `reason` completes a sentence about the field: "`title` is empty." */
const fieldError = (path: FieldPath, reason: string, fix: string): FieldProblem => ({
  ...errorAt(path, `${path.length === 0 ? "The file" : `\`${fieldName(path)}\``} ${reason}.`, fix),
  reason,
});

const unknownField = (path: FieldPath): FieldProblem => ({
  ...fieldError(path, "is not a known field", "Remove it, or correct its name."),
  key: "unknown-field",
});

function missingField(issue: z.core.$ZodIssue, path: FieldPath, input: unknown): FieldProblem {
  const name = String(path.at(-1) ?? "");
  const misspelled = misspelling(name, valueAt(input, path.slice(0, -1)));
  const fix =
    misspelled === undefined
      ? `Add "${name}": ${example(issue)}.`
      : `Rename ${JSON.stringify(misspelled)} to "${name}".`;
  return fieldError(path, "is missing", fix);
}

/** A key of the object that was probably meant to be `name`. */
const misspelling = (name: string, object: unknown): string | undefined =>
  typeof object === "object" && object !== null
    ? Object.keys(object).find((key) => suggestField(key, [name]) !== undefined)
    : undefined;

/**
 * Warns about unknown fields with almost the name of a known one: a check under a wrong name would never run.
 * Other unknown fields are allowed.
 */
export const misnamedFields = (fields: object, known: readonly string[]): FieldProblem[] =>
  Object.keys(fields).flatMap((key) => {
    const intended = suggestField(key, known);
    if (intended === undefined) return [];
    return [
      {
        path: [key],
        severity: "warning",
        key: "unknown-field",
        message: `\`${key}\` is not a known field, and has no effect.`,
        fix: `Did you mean "${intended}"?`,
      },
    ];
  });

/** `children[0].blockedBy` */
export function fieldName(path: FieldPath): string {
  return path.reduce<string>(
    (name, step) =>
      typeof step === "number" ? `${name}[${step}]` : name === "" ? step : `${name}.${step}`,
    "",
  );
}

/** Fields whose kind alone does not say what to write. */
const FIELD_FIXES: Readonly<Record<string, string>> = {
  priority: "Use a number from 0 (most urgent) to 4.",
};

/** How to write a value whose rule does not show it. */
const FORMAT_FIXES: Readonly<Record<string, string>> = {
  writeFiles: 'Use a path or pattern below the project\'s top folder, for example "src/**".',
  branch: 'Use a name that git accepts for a branch, for example "story/add-login".',
  checks: "Write a command, or remove the entry.",
};

function invalidField(issue: z.core.$ZodIssue, path: FieldPath, value: unknown): FieldProblem {
  const problem = invalidValue(issue, path, value);
  const fix = FIELD_FIXES[String(path.at(-1))];
  return fix === undefined ? problem : { ...problem, fix };
}

function invalidValue(issue: z.core.$ZodIssue, path: FieldPath, value: unknown): FieldProblem {
  const shown = JSON.stringify(value);
  switch (issue.code) {
    case "invalid_type":
      return fieldError(
        path,
        `must be ${kindName(issue.expected)}, but is ${kindOf(value, issue.expected)}`,
        `Use ${kindName(issue.expected)}, for example ${example(issue)}.`,
      );
    case "invalid_value": {
      const allowed = issue.values.map(String).join(", ");
      return fieldError(
        path,
        `must be one of ${allowed}, but is ${shown}`,
        `Use one of ${allowed}.`,
      );
    }
    case "too_small":
      if (issue.origin === "string") return fieldError(path, "is empty", "Fill it in.");
      return outOfRange(path, `at least ${issue.minimum}`, shown);
    case "too_big":
      if (issue.origin !== "string") return outOfRange(path, `at most ${issue.maximum}`, shown);
      return fieldError(path, `is longer than ${issue.maximum} characters`, "Shorten it.");
    case "invalid_format":
      if (issue.format === "datetime") {
        const fix = 'Use a time, for example "2026-11-15T12:00:00Z".';
        return fieldError(path, `must be a time, but is ${shown}`, fix);
      }
      return fieldError(path, `(${shown}) ${issue.message}`, formatFix(path));
    case "unrecognized_keys":
    case "custom":
    case "not_multiple_of":
    case "invalid_union":
    case "invalid_key":
    case "invalid_element":
      return fieldError(path, `(${shown}) ${issue.message}`, CHANGE_IT);
  }
}

const CHANGE_IT = "Change the value.";

/** Of the field, or of the list that the value is in. */
const formatFix = (path: FieldPath): string =>
  FORMAT_FIXES[String(path.findLast((step) => typeof step === "string"))] ?? CHANGE_IT;

const outOfRange = (path: FieldPath, range: string, shown: string): FieldProblem =>
  fieldError(path, `must be ${range}, but is ${shown}`, `Use a value of ${range}.`);

const KIND_NAMES: Readonly<Record<string, string>> = {
  array: "a list",
  boolean: "true or false",
  int: "a whole number",
  null: "null",
  number: "a number",
  object: "an object",
  record: "an object",
  string: "a string",
};
const kindName = (kind: string): string => KIND_NAMES[kind] ?? kind;

function kindOf(value: unknown, expected: string): string {
  if (value === null) return "null";
  // A number of the wrong kind is shown itself: a fraction, NaN.
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
