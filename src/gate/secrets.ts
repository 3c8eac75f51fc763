// Searches added text for keys, tokens and passwords, with the rules of secretlint. In a file of its own, because the
// rules are large and should only be loaded for a search.

import { extname } from "node:path";
import { rules } from "@secretlint/secretlint-rule-preset-recommend";
import type { SecretLintRuleContext, SecretLintSourceCode } from "@secretlint/types";
import type { AddedText } from "../repo/diff/added-text.ts";
import type { KeyedFinding } from "../story/receipts/receipt.ts";
import { newMatcher } from "./globs.ts";

/** Without a path, it is a commit message. */
export type SearchText = Omit<AddedText, "path"> & Partial<Pick<AddedText, "path">>;

/** A finding says where a secret is and its kind, but never quotes it: findings are published. */
export async function findSecrets(
  added: AsyncIterable<SearchText> | Iterable<SearchText>,
  allow: readonly string[],
): Promise<readonly KeyedFinding[]> {
  const search = newSearch();
  const isAllowedFile = newMatcher(allow);
  const allowedTexts = new Set(allow);
  const findings: KeyedFinding[] = [];
  for await (const { path: file, text, commit } of added) {
    if (file !== undefined && isAllowedFile(file) !== undefined) continue;
    const reports = await search(file ?? "", text);
    const real = reports.filter(({ texts }) => !texts.some((one) => allowedTexts.has(one)));
    const lineAt = newLineFinder(text);
    const found = real
      .toSorted((one, other) => one.index - other.index)
      .map(({ kind, index }) => ({
        rule: "secret" as const,
        ...(file !== undefined && { file, line: lineAt(index) }),
        key: `${whereIs(commit, file)} ${kind}`,
        message: `This looks like a secret: ${kind}.${inCommit(commit, file)}`,
      }));
    findings.push(...withoutRepeats(found));
  }
  return findings;
}

const whereIs = (commit: string | undefined, file: string | undefined) =>
  file === undefined ? "message" : commit === undefined ? "added" : "history";

const inCommit = (commit: string | undefined, file: string | undefined): string =>
  commit === undefined
    ? ""
    : ` It is in ${file === undefined ? "the message of " : ""}commit ${commit.slice(0, 12)}.`;

/** A rule's data, with names that depend on the rule: `KEY`, `TOKEN`, `typeName`. */
type Found = Readonly<Record<string, unknown>>;

interface Report {
  readonly kind: string;
  /** All texts of the report, including the secret. */
  readonly texts: readonly string[];
  readonly index: number;
}

/** This rule lets comments switch the search off, and an agent could write such a comment. */
const COMMENTS = "@secretlint/secretlint-rule-filter-comments";
/** The option that finds key ids also finds account ids, which are not secret. */
const NO_SECRET = "AWSAccountID";
const OPTIONS: Readonly<Record<string, object>> = {
  "@secretlint/secretlint-rule-aws": { enableIDScanRule: true },
};

type Search = (path: string, text: string) => Promise<readonly Report[]>;

/** Uses the rules without secretlint's own runner, which sets them up again for every file. */
function newSearch(): Search {
  let reports: Report[] = [];
  const context: SecretLintRuleContext = {
    sharedOptions: {},
    createTranslator: (messages) => (messageId, data) => ({
      messageId: String(messageId),
      message: messages[messageId]?.en(withoutSecrets(data)) ?? "",
      data,
    }),
    report({ message: { message, messageId, data }, range: [index] }) {
      if (messageId === NO_SECRET) return;
      const texts = Object.values({ ...(data as Found) }).map(String);
      reports.push({ kind: kindIn(message), texts, index });
    },
    ignore: () => undefined,
  };
  const scanners = rules
    .filter(({ meta }) => meta.id !== COMMENTS)
    .map((rule) => rule.create(context, OPTIONS[rule.meta.id] ?? {}));
  return async (path, text) => {
    reports = [];
    const source = sourceOf(path, text);
    for (const scanner of scanners) {
      const pending = scanner.file?.(source);
      // Most rules finish synchronously; awaiting each would be slow for many files.
      if (pending) await pending;
    }
    return reports;
  };
}

/** Rules build messages from what they found. This leaves only the name of the kind. */
const withoutSecrets = (data: Found = {}): object =>
  new Proxy(data, { get: (all, name) => (name === "typeName" ? all[name] : "") });

/** `found AWS Access Key ID: ` */
const kindIn = (message: string): string =>
  message
    .replace(/^found /, "")
    .replace(/:?\s*$/, "")
    .replace(/\b\(/, " (");

function sourceOf(path: string, text: string): SecretLintSourceCode {
  const extension = extname(path).toLowerCase();
  return {
    filePath: path,
    // For other extensions a rule would read the file from disk, relative to the current folder.
    ext: extension === ".json" ? extension : "",
    contentType: "text",
    content: text,
  } as SecretLintSourceCode;
}

/** Finds line numbers for ascending positions. */
function newLineFinder(text: string): (index: number) => number {
  let line = 1;
  let from = 0;
  return (index) => {
    for (let end = text.indexOf("\n", from); end !== -1 && end < index;) {
      line++;
      from = end + 1;
      end = text.indexOf("\n", from);
    }
    return line;
  };
}

/** Two rules may report the same secret of a line, or one rule may report two. */
const withoutRepeats = (findings: readonly KeyedFinding[]): readonly KeyedFinding[] => [
  ...new Map(findings.map((one) => [`${one.line} ${one.key}`, one])).values(),
];
