// What is wrong with a parsed file, in a sentence, and what to do about it.

import type * as z from "zod";

export type Path = readonly (string | number)[];

/** Something wrong inside one file; where it stands is a path of keys. */
export interface Finding {
  readonly path: Path;
  readonly severity: "error" | "warning";
  readonly message: string;
  readonly fix: string;
}

export function explain(error: z.ZodError, input: unknown): Finding[] {
  return error.issues.map((issue) => {
    const path = issue.path.filter((step) => typeof step !== "symbol");
    return { path, severity: "error", ...sentence(issue, path, valueAt(input, path)) };
  });
}

/** `children[0].blockedBy` */
export function fieldName(path: Path): string {
  return path.reduce<string>(
    (name, step) =>
      typeof step === "number" ? `${name}[${step}]` : name === "" ? step : `${name}.${step}`,
    "",
  );
}

type Sentence = Pick<Finding, "message" | "fix">;

function sentence(issue: z.core.$ZodIssue, path: Path, value: unknown): Sentence {
  const name = path.length === 0 ? "The file" : `\`${fieldName(path)}\``;
  const key = String(path.at(-1) ?? "");
  if (value === undefined && issue.code !== "custom") {
    return { message: `${name} is missing.`, fix: `Add "${key}": ${example(issue)}.` };
  }
  switch (issue.code) {
    case "invalid_type":
      return {
        message: `${name} must be ${kindName(issue.expected)}, but is ${kindOf(value)}.`,
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
      return bound(name, `at least ${issue.minimum}`, value);
    case "too_big":
      return issue.message.startsWith("is ")
        ? { message: `${name} ${issue.message}.`, fix: "Shorten it." }
        : bound(name, `at most ${issue.maximum}`, value);
    case "unrecognized_keys":
      return {
        message: `${issue.keys.map((unknown) => `\`${fieldName([...path, unknown])}\``).join(", ")} is not known here.`,
        fix: "Remove it, or correct its name.",
      };
    case "custom":
    case "invalid_format":
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

const bound = (name: string, limit: string, value: unknown): Sentence => ({
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

function kindOf(value: unknown): string {
  if (value === null) return "null";
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

function valueAt(input: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (value, step) =>
      typeof value === "object" && value !== null
        ? (value as Record<string | number, unknown>)[step]
        : undefined,
    input,
  );
}
