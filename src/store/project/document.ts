// One JSON file: read, judged by the schema of its format, and said plainly where it is wrong.

import { applyEdits, findNodeAtLocation, modify, parseTree, type Node } from "jsonc-parser";
import type * as z from "zod";
import type { FieldPath, Problem } from "../../errors.ts";
import { explain, type FieldProblem } from "../../story/definition/explain-error.ts";
import { jsonFault } from "./json-problem.ts";
import { formatDocument, indentOf, type Fields } from "./json-text.ts";

export type Document<T> =
  | { readonly value: T; readonly fields: Fields; readonly problems?: never }
  | { readonly problems: readonly Problem[]; readonly value?: never };

export interface Format<T> {
  readonly schema: z.ZodType<T>;
  /** A short cut for what is usually there. It may pass on anything, and accepts nothing more. */
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
 * The text with these fields instead. What is not in our own layout is edited key by key: a person's
 * formatting stays, and so does what JavaScript cannot hold, like a very large number.
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

/** Findings get the file, and the line that their path stands on. */
export function locate(file: string, text: string, findings: readonly FieldProblem[]): Problem[] {
  if (findings.length === 0) return [];
  const tree = parseTree(text);
  return findings.map((finding) => {
    const node = tree && nearestNode(tree, finding.path);
    return { file, ...(node && positionOf(text, node.offset)), ...finding };
  });
}

/** Keys that stand twice in one object: all but the last are silently lost by every JSON reader. */
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
          message: `The key ${JSON.stringify(key)} stands here twice.`,
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
    return { ...broken, message: "The file is empty.", fix: "Write it again, or remove it." };
  }
  if (text.startsWith("\uFEFF")) {
    const message = "The file begins with a byte order mark, which is not JSON.";
    return { ...broken, line: 1, column: 1, message, fix: "Save it as UTF-8 without a mark." };
  }
  const fault = jsonFault(text);
  // What the tolerant reader accepts and JSON does not.
  if (!fault) return { ...broken, message: `${NOT_JSON}: ${String(error)}.`, fix: "Correct it." };
  const place = positionOf(text, fault.offset);
  const { message, fix } = fault.describe(place.line);
  return { ...broken, ...place, message: `${NOT_JSON}: ${message}.`, fix };
}

const NOT_JSON = "This is not valid JSON";

/** The place itself, or the nearest thing around it that is there. */
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
