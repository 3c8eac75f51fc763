// The fields of a format, from its JSON Schema.

import { code, table } from "./markdown.ts";

export interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly default?: unknown;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

export function fieldTable(schema: Schema): string {
  const rows = Object.entries(schema.properties ?? {}).flatMap(([name, field]) =>
    rowsOf(name, field, schema.required?.includes(name) ?? false),
  );
  return table(["field", "type", "meaning"], rows);
}

/** The field, and the described fields of its object or of its list's objects. */
function rowsOf(name: string, field: Schema, isRequired: boolean): string[][] {
  const meaning = field.description;
  if (meaning === undefined) throw new Error(`The field ${name} has no description.`);
  const below = Object.entries(field.items?.properties ?? field.properties ?? {});
  const prefix = field.items?.properties ? `${name}[].` : `${name}.`;
  return [
    [code(name), `${typeText(field)}${isRequired ? ", required" : ""}`, meaning],
    ...below.flatMap(([child, schema]) => {
      const { description } = schema;
      return description === undefined
        ? []
        : [[code(`${prefix}${child}`), typeText(schema), description]];
    }),
  ];
}

export function typeText(schema: unknown): string {
  const { type, items, anyOf, format, ...one } = schema as Schema;
  if (one.enum) return one.enum.map((value) => code(JSON.stringify(value))).join(", ");
  if (anyOf) return anyOf.map(typeText).join(" or ");
  switch (type) {
    case "array":
      return `a list of ${items ? manyOf(items) : "anything"}`;
    case "integer":
    case "number":
      return `a ${type === "integer" ? "whole " : ""}number${boundsText(one)}`;
    case "boolean":
      return "`true` or `false`";
    case "string":
      return format === "date-time" ? "a time" : "a text";
    case "object":
      return "an object";
    default:
      return "anything";
  }
}

const manyOf = (items: Schema): string =>
  items.enum ? typeText(items) : typeText(items).replace(/^an? (?<what>[\w ]+)/, "$<what>s");

/** Zod gives every integer the safe-integer bounds: those are left out. */
function boundsText({ minimum, maximum, exclusiveMinimum }: Schema): string {
  const most = maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER ? maximum : undefined;
  const least = minimum !== undefined && minimum > Number.MIN_SAFE_INTEGER ? minimum : undefined;
  if (exclusiveMinimum !== undefined && exclusiveMinimum > Number.MIN_SAFE_INTEGER) {
    return ` above ${exclusiveMinimum}`;
  }
  if (least !== undefined && most !== undefined) return ` from ${least} to ${most}`;
  return least === undefined ? "" : `, ${least} or more`;
}
