// The fields of a form that creates or changes a story, a task or an epic: what a person types, and the value that is
// sent. Pure. The command checks the values.

import type { DefinitionKind, FieldChange, FieldValue } from "../../protocol/actions.ts";

/** `lines`: one value per line. `list`: separated by commas. */
type FieldKind = "line" | "text" | "lines" | "list" | "priority" | "flag";

export interface FieldSpec {
  readonly name: string;
  readonly word: string;
  readonly kind: FieldKind;
  readonly hint?: string;
  /** Shown on request. */
  readonly isRare?: true;
}

const DESCRIPTION: FieldSpec = {
  name: "description",
  word: "Description",
  kind: "text",
  hint: "Everything that the agent needs to know",
};
const WORK: readonly FieldSpec[] = [
  { name: "doneWhen", word: "Done when", kind: "text", isRare: true },
  { name: "guidance", word: "Guidance", kind: "text", isRare: true },
];
const LIMITS: readonly FieldSpec[] = [
  { name: "checks", word: "Checks", kind: "lines", hint: "npm test", isRare: true },
  { name: "writeFiles", word: "Allowed files", kind: "lines", hint: "src/**", isRare: true },
];

export const FIELDS: Readonly<Record<DefinitionKind, readonly FieldSpec[]>> = {
  epic: [
    { name: "title", word: "Title", kind: "line" },
    { ...DESCRIPTION, hint: "The goal of its stories" },
  ],
  story: [
    { name: "title", word: "Title", kind: "line" },
    DESCRIPTION,
    ...LIMITS,
    ...WORK,
    { name: "avoid", word: "Avoid", kind: "text", isRare: true },
    { name: "labels", word: "Labels", kind: "list", hint: "ui, speed", isRare: true },
    { name: "priority", word: "Priority", kind: "priority", isRare: true },
    { name: "needsTesting", word: "A tester must pass it", kind: "flag", isRare: true },
    { name: "needsReview", word: "A reviewer must pass it", kind: "flag", isRare: true },
  ],
  task: [
    { name: "subject", word: "Subject", kind: "line" },
    DESCRIPTION,
    ...LIMITS,
    ...WORK,
    { name: "blockedBy", word: "After these tasks", kind: "list", isRare: true },
  ],
};

/** What the inputs show, by the field's name. */
export type FieldTexts = Readonly<Record<string, string>>;

export const textsOf = (kind: DefinitionKind, values: object): FieldTexts =>
  Object.fromEntries(
    FIELDS[kind].map((field) => [
      field.name,
      textOf(field, (values as Readonly<Record<string, unknown>>)[field.name]),
    ]),
  );

function textOf({ kind }: FieldSpec, value: unknown): string {
  if (Array.isArray(value)) return value.join(kind === "lines" ? "\n" : ", ");
  if (typeof value === "string") return value;
  return value === true || typeof value === "number" ? String(value) : "";
}

/** Only the fields that have a value. */
export const valuesIn = (
  kind: DefinitionKind,
  texts: FieldTexts,
): Readonly<Record<string, FieldValue>> =>
  Object.fromEntries(
    FIELDS[kind].flatMap((field) => {
      const value = valueOf(field, texts[field.name] ?? "");
      return value === undefined ? [] : [[field.name, value] as const];
    }),
  );

/** Only the fields that a person changed: an agent may have changed others since. */
export const changesBetween = (
  kind: DefinitionKind,
  before: FieldTexts,
  after: FieldTexts,
): FieldChange[] =>
  FIELDS[kind].flatMap((field) => {
    const [old, now] = [before, after].map((texts) => valueOf(field, texts[field.name] ?? ""));
    if (JSON.stringify(old) === JSON.stringify(now)) return [];
    return [{ field: field.name, ...(now !== undefined && { value: now }) }];
  });

function valueOf({ kind }: FieldSpec, text: string): FieldValue | undefined {
  const trimmed = text.trim();
  if (trimmed === "") return undefined;
  switch (kind) {
    case "line":
    case "text":
      return trimmed;
    case "lines":
      return split(trimmed, "\n");
    case "list":
      return split(trimmed, ",");
    case "priority":
      return Number(trimmed);
    case "flag":
      return true;
  }
}

const split = (text: string, separator: string): string[] =>
  text
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== "");

/** `Sign in, with Größe` becomes `sign-in-with-grosse`. Empty if no letter is left. */
export const slugOf = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll("ß", "ss")
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, MAX_SLUG_LENGTH)
    .replaceAll(/^-|-$/g, "");

const MAX_SLUG_LENGTH = 50;
