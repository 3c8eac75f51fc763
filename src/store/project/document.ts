// One JSON file: parsed, validated by its schema, with a line number for every problem; and rewritten in place.

import { applyEdits, findNodeAtLocation, modify, parseTree, type Node } from "jsonc-parser";
import type * as z from "zod";
import type { FieldPath, Problem } from "../../errors.ts";
import { explain, type FieldProblem } from "../../story/definition/explain-error.ts";
import { firstSyntaxError } from "./json-problem.ts";
import { formatDocument, indentOf, type Fields } from "./json-text.ts";

export type Document<T> =
  | { readonly value: T; readonly fields: Fields; readonly problems?: never }
  | { readonly problems: readonly Problem[]; readonly value?: never };

export interface Format<T> {
  readonly schema: z.ZodType<T>;
  /** A fast path for common values. It may return undefined for anything, and accepts only what the schema accepts. */
  readonly usual?: (json: unknown) => T | undefined;
}

export function parseDocument<T>(file: string, text: string, format: Format<T>): Document<T> {
  const json = parseJson(file, text);
  if (json.problem) return { problems: [json.problem] };
  const value = format.usual?.(json.value);
  if (value !== undefined) return { value, fields: json.value as Fields };
  const parsed = format.schema.safeParse(json.value);
  if (parsed.success) return { value: parsed.data, fields: json.value as Fields };
  return { problems: locate(file, text, explain(parsed.error, json.value)) };
}

type Json =
  | { readonly value: unknown; readonly problem?: never }
  | { readonly problem: Problem; readonly value?: never };

export function parseJson(file: string, text: string): Json {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { problem: syntaxProblem(file, text, error) };
  }
}

/**
 * Returns the text with other fields. A file that is not in Saga's own formatting is edited key by key, which keeps
 * a person's formatting and values that JavaScript cannot represent, such as very large numbers.
 */
export function rewriteDocument(
  text: string,
  before: Readonly<Fields>,
  after: Readonly<Fields>,
): string {
  if (formatDocument(before, text) === text) return formatDocument(after, text);
  let edited = text;
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [old, value] = [before[key], after[key]];
    if (JSON.stringify(old) === JSON.stringify(value)) continue;
    const indent = indentOf(text);
    const insertSpaces = !indent.startsWith("\t");
    const formattingOptions = { insertSpaces, tabSize: indent.length, eol: "\n" };
    edited = applyEdits(edited, modify(edited, [key], value, { formattingOptions }));
  }
  return edited;
}

/** Adds the file, and the line of each problem's path. */
export function locate(file: string, text: string, findings: readonly FieldProblem[]): Problem[] {
  if (findings.length === 0) return [];
  const tree = parseTree(text);
  return findings.map((finding) => {
    const node = tree && nearestNode(tree, finding.path);
    return { file, ...(node && positionOf(text, node.offset)), ...finding };
  });
}

/** Duplicate keys in one object: JSON readers silently drop all but the last. */
export function repeatedKeys(file: string, text: string): Problem[] {
  const problems: Problem[] = [];
  const open = [parseTree(text)];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    const seen = new Set<unknown>();
    for (const child of node.children ?? []) {
      open.push(child);
      const key: unknown = child.type === "property" ? child.children?.[0]?.value : undefined;
      if (key === undefined) continue;
      if (seen.has(key)) {
        problems.push({
          file,
          ...positionOf(text, child.offset),
          severity: "error",
          message: `Duplicate key ${JSON.stringify(key)}.`,
          fix: "Keep one of them.",
        });
      }
      seen.add(key);
    }
  }
  return problems;
}

function syntaxProblem(file: string, text: string, error: unknown): Problem {
  const broken = { file, severity: "error" as const };
  if (text.trim() === "") {
    return { ...broken, message: "The file is empty.", fix: "Restore it or delete it." };
  }
  if (text.startsWith("\uFEFF")) {
    const message = "The file starts with a byte order mark, which JSON does not allow.";
    return { ...broken, line: 1, column: 1, message, fix: "Save it as UTF-8 without a BOM." };
  }
  const problem = firstSyntaxError(text);
  // The tolerant parser accepts a little more than JSON does.
  if (!problem) return { ...broken, message: `${NOT_JSON}: ${String(error)}.`, fix: "Fix it." };
  const place = positionOf(text, problem.offset);
  const { message, fix } = problem.describe(place.line);
  return { ...broken, ...place, message: `${NOT_JSON}: ${message}.`, fix };
}

const NOT_JSON = "This is not valid JSON";

/** The node at the path, or the nearest one around it that exists. */
function nearestNode(tree: Node, path: FieldPath): Node {
  for (let length = path.length; length > 0; length--) {
    const node = findNodeAtLocation(tree, path.slice(0, length));
    if (node) return node.parent?.type === "property" ? node.parent : node;
  }
  return tree;
}

function positionOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
