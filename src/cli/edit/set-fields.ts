// `--set field=value`: parses assignments into fields of a story, an epic or a task.

import { SagaError } from "../../errors.ts";
import { didYouMean, suggestField, nearestNames } from "../../text/did-you-mean.ts";
import { splitList } from "../program/list-option.ts";

type Fields = Readonly<Record<string, unknown>>;

export interface Assignment {
  readonly field: string;
  /** Undefined removes the field. */
  readonly value: string | undefined;
}

export function parseAssignment(text: string): Assignment {
  const at = text.indexOf("=");
  if (at > 0) return { field: text.slice(0, at).trim(), value: text.slice(at + 1) || undefined };
  throw new SagaError("usage", `--set ${JSON.stringify(text)} has no field or no value.`, {
    hint: 'Write it as `--set title="A new title"`; `--set guidance=` removes a field.',
  });
}

const NUMBERS: ReadonlySet<string> = new Set(["priority", "estimatedLines", "order"]);
const FLAGS: ReadonlySet<string> = new Set(["needsTesting", "needsReview"]);
const LISTS: ReadonlySet<string> = new Set(["labels", "writeFiles", "blockedBy"]);
/** A command may contain a comma, so a value is one check; several are written as JSON. */
const TEXTS: ReadonlySet<string> = new Set(["checks"]);

/** Applies the assignments; `known` are the fields that the file may have. */
export function withAssignments(
  fields: Fields,
  assignments: readonly Assignment[],
  known: readonly string[],
): Fields {
  const after: Record<string, unknown> = { ...fields };
  for (const { field, value } of assignments) {
    requireField(field, fields, known);
    if (value === undefined) delete after[field];
    else after[field] = valueOf(field, value);
  }
  return after;
}

function requireField(field: string, fields: Fields, known: readonly string[]): void {
  if (field === "id") {
    throw new SagaError(
      "usage",
      "The id cannot be changed: it is also the name of the file or folder.",
      {
        hint: "Create a new one with `saga new`, and remove this one with `saga rm`.",
      },
    );
  }
  if (known.includes(field) || field in fields) return;
  const meant = suggestField(field, known);
  const suggestion = didYouMean(meant === undefined ? nearestNames(field, known) : [meant]);
  throw new SagaError("usage", `Unknown field ${field}.`, {
    hint: [suggestion, `The fields are ${known.filter((name) => name !== "id").join(", ")}.`]
      .filter(Boolean)
      .join(" "),
  });
}

/** An invalid value stays a string: the schema refuses it with a message. */
function valueOf(field: string, text: string): unknown {
  if (NUMBERS.has(field)) return Number.isNaN(Number(text)) ? text : Number(text);
  if (FLAGS.has(field)) return text === "true" ? true : text === "false" ? false : text;
  const isList = LISTS.has(field) || TEXTS.has(field);
  const isJson = /^\s*[[{]/.test(text) && (isList || field === "children");
  if (isJson) return jsonOf(field, text);
  if (LISTS.has(field)) return splitList(text);
  return TEXTS.has(field) ? [text] : text;
}

function jsonOf(field: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new SagaError("usage", `--set ${field}: the value is not valid JSON.`, {
      hint: 'Write a list as `["a", "b"]`, or separate its values by commas.',
      cause: error,
    });
  }
}
