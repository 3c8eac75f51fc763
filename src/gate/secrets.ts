// Searches what is added for keys, tokens and passwords, with the rules of secretlint. Apart, because
// the rules are large: whoever does not search does not load them.

import { extname } from "node:path";
import { rules } from "@secretlint/secretlint-rule-preset-recommend";
import type { SecretLintRuleContext, SecretLintSourceCode } from "@secretlint/types";
import type { AddedText } from "../repo/diff/added-text.ts";
import type { KeyedFinding } from "../story/receipts/receipt.ts";
import { newMatcher } from "./globs.ts";

/** Without a path it is the message of its commit. */
export type SearchText = Omit<AddedText, "path"> & Partial<Pick<AddedText, "path">>;

/** A finding tells where a secret is and of what kind, never what it is: findings are published. */
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
    const said = real
      .toSorted((one, other) => one.index - other.index)
      .map(({ kind, index }) => ({
        rule: "secret" as const,
        ...(file !== undefined && { file, line: lineAt(index) }),
        key: `${whereIs(commit, file)} ${kind}`,
        message: `This looks like a secret: ${kind}.${inCommit(commit, file)}`,
      }));
    findings.push(...withoutRepeats(said));
  }
  return findings;
}

const whereIs = (commit: string | undefined, file: string | undefined) =>
  file === undefined ? "message" : commit === undefined ? "added" : "history";

const inCommit = (commit: string | undefined, file: string | undefined): string =>
  commit === undefined
    ? ""
    : ` It is in ${file === undefined ? "the message of the" : "the"} commit ${commit.slice(0, 12)}.`;

/** What a rule has found, by names of its own: `KEY`, `TOKEN`, `typeName`. */
type Found = Readonly<Record<string, unknown>>;

interface Report {
  readonly kind: string;
  /** What was found, the secret among it. */
  readonly texts: readonly string[];
  readonly index: number;
}

/** Lets a comment switch the search off, which those who are searched could write. */
const COMMENTS = "@secretlint/secretlint-rule-filter-comments";
/** The ids of accounts are found by the same switch as the ids of keys, and are no secrets. */
const NO_SECRET = "AWSAccountID";
const OPTIONS: Readonly<Record<string, object>> = {
  "@secretlint/secretlint-rule-aws": { enableIDScanRule: true },
};

type Search = (path: string, text: string) => Promise<readonly Report[]>;

/** The rules as they are, without secretlint's own runner: that sets them up anew for every file. */
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
      // Nearly all are done by now, and there are many files.
      if (pending) await pending;
    }
    return reports;
  };
}

/** Each message is made from what was found. It gets the name of the kind, and nothing else. */
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
    // For any other kind, a rule would read the file from the disk, from wherever we are.
    ext: extension === ".json" ? extension : "",
    contentType: "text",
    content: text,
  } as SecretLintSourceCode;
}

/** For places in ascending order. */
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

/** Two rules may see the same secret in one line, or one rule two. */
const withoutRepeats = (findings: readonly KeyedFinding[]): readonly KeyedFinding[] => [
  ...new Map(findings.map((one) => [`${one.line} ${one.key}`, one])).values(),
];
