// How carefully a person should look at a story, and why: used to sort what waits for review. Decides by paths, sizes
// and receipts, never by the content of a file. Pure, and without packages.

import { count } from "../../text/plural.ts";
import type { Receipt } from "../receipts/receipt.ts";
import { pathKinds, testedName } from "./path-kinds.ts";

export interface RiskyFile {
  readonly path: string;
  readonly status: "added" | "modified" | "deleted" | "renamed" | "type-changed";
  /** The old path of a renamed file. */
  readonly from?: string | undefined;
  readonly addedLines: number;
  readonly deletedLines: number;
  readonly isBinary: boolean;
}

export interface RiskFacts {
  /** The story's changes, without Saga's own files. */
  readonly files: readonly RiskyFile[];
  /** `gate.protected`. */
  readonly isProtected: (path: string) => boolean;
  /** Where the story asks for less than when it began, in sentences. */
  readonly weakened: readonly string[];
  /** The newest receipts for exactly this code. */
  readonly receipts: readonly Pick<Receipt, "gate" | "isPassed" | "findings" | "overridden">[];
}

/** In the order in which they are shown, if their points are equal. */
export const RISK_KINDS = [
  "definition",
  "protected",
  "verdict",
  "overridden",
  "checks",
  "sensitive",
  "deletions",
  "untested",
  "size",
  "binary",
] as const;
export type RiskKind = (typeof RISK_KINDS)[number];

export interface RiskReason {
  readonly kind: RiskKind;
  readonly points: number;
  readonly text: string;
  readonly files: readonly string[];
}

export type RiskLevel = "low" | "medium" | "high";

export interface ReviewRisk {
  readonly level: RiskLevel;
  /** The sum of the reasons' points. */
  readonly points: number;
  /** The weightiest first. */
  readonly reasons: readonly RiskReason[];
}

const HIGH_POINTS = 8;
const MEDIUM_POINTS = 3;

export function reviewRisk(facts: RiskFacts): ReviewRisk {
  const reasons = [
    ...definitionReason(facts),
    ...protectedReason(facts),
    ...verdictReason(facts),
    ...overriddenReason(facts),
    ...checksReason(facts),
    ...sensitiveReason(facts),
    ...deletionsReason(facts),
    ...untestedReason(facts),
    ...sizeReason(facts),
    ...binaryReason(facts),
  ].toSorted((one, other) => other.points - one.points);
  const points = reasons.reduce((sum, reason) => sum + reason.points, 0);
  const level = points >= HIGH_POINTS ? "high" : points >= MEDIUM_POINTS ? "medium" : "low";
  return { level, points, reasons };
}

/** Sorts the riskiest first, then by name. A story whose risk is unknown comes last. */
export const byRisk = (
  one: { readonly id: string; readonly risk?: Pick<ReviewRisk, "points"> | undefined },
  other: { readonly id: string; readonly risk?: Pick<ReviewRisk, "points"> | undefined },
): number => (other.risk?.points ?? -1) - (one.risk?.points ?? -1) || (one.id < other.id ? -1 : 1);

function definitionReason({ weakened }: RiskFacts): RiskReason[] {
  const [first] = weakened;
  if (first === undefined) return [];
  const more = weakened.length > 1 ? ` (and ${weakened.length - 1} more)` : "";
  return [{ kind: "definition", points: 8, text: `${first}${more}`, files: [] }];
}

function protectedReason({ files, isProtected }: RiskFacts): RiskReason[] {
  const found = pathsOf(files, isProtected);
  return reason("protected", 8, found, "protected file");
}

/** The tester's and the reviewer's. */
function verdictReason({ receipts }: RiskFacts): RiskReason[] {
  const refused = receipts.filter(({ gate, isPassed }) => isInspector(gate) && !isPassed);
  const passed = receipts.filter(({ gate, isPassed }) => isInspector(gate) && isPassed);
  const remarks = passed.flatMap(({ findings }) => findings);
  if (refused.length > 0) {
    const who = [...new Set(refused.map(({ gate }) => INSPECTORS[gate as Inspector]))];
    const found = refused.flatMap(({ findings }) => findings);
    const text = `The ${who.join(" and the ")} did not pass it.`;
    return [{ kind: "verdict", points: 6, text, files: filesIn(found) }];
  }
  if (remarks.length === 0) return [];
  const text = `The reviewer passed it with ${count(remarks.length, "remark")}.`;
  return [{ kind: "verdict", points: 2, text, files: filesIn(remarks) }];
}

const INSPECTORS = { test: "tester", review: "reviewer" } as const;
type Inspector = keyof typeof INSPECTORS;
const isInspector = (gate: string): boolean => gate in INSPECTORS;

const filesIn = (findings: readonly { readonly file?: string | undefined }[]): string[] => [
  ...new Set(findings.flatMap(({ file }) => file ?? [])),
];

function overriddenReason({ receipts }: RiskFacts): RiskReason[] {
  const rules = [...new Set(receipts.flatMap(({ overridden }) => overridden?.rules ?? []))];
  if (rules.length === 0) return [];
  return [
    { kind: "overridden", points: 4, text: `A person overrode: ${rules.join(", ")}.`, files: [] },
  ];
}

/** The story is judged by its checks: a story that changes them judges itself. */
function checksReason({ files }: RiskFacts): RiskReason[] {
  const found = pathsOf(files, (path) => pathKinds(path).has("checks"));
  const weakerTests = files
    .filter(
      ({ path, status, addedLines, deletedLines }) =>
        pathKinds(path).has("test") && (status === "deleted" || deletedLines > addedLines),
    )
    .map(({ path }) => path);
  return [
    ...reason("checks", 4, found, "file that checks run on"),
    ...reason(
      "checks",
      4,
      weakerTests,
      "test",
      "lost lines or was deleted",
      "lost lines or were deleted",
    ),
  ];
}

function sensitiveReason({ files, isProtected }: RiskFacts): RiskReason[] {
  const isSensitive = (path: string): boolean =>
    pathKinds(path).has("sensitive") && !isProtected(path);
  return reason("sensitive", 4, pathsOf(files, isSensitive), "sensitive file");
}

/** A deleted test counts with the checks. */
function deletionsReason({ files }: RiskFacts): RiskReason[] {
  const deleted = files
    .filter(({ path, status }) => status === "deleted" && !pathKinds(path).has("test"))
    .map(({ path }) => path);
  const points = deleted.length > 5 ? 5 : 3;
  return reason("deletions", points, deleted, "file", "was deleted", "were deleted");
}

/** Code whose test was not changed with it. Whether an unchanged test covers it is for the checks to find out. */
function untestedReason({ files }: RiskFacts): RiskReason[] {
  const tested = new Set(
    files.filter(({ path }) => pathKinds(path).has("test")).map(({ path }) => testedName(path)),
  );
  const untested = files
    .filter(({ path, status, addedLines }) => {
      const isCode = pathKinds(path).has("code") && status !== "deleted";
      return isCode && addedLines > MIN_TESTED_LINES && !tested.has(testedName(path));
    })
    .map(({ path }) => path);
  const points = tested.size === 0 ? 3 : 1;
  return reason(
    "untested",
    points,
    untested,
    "code file",
    "changed without its test",
    "changed without their tests",
  );
}

/** A change of a few lines rarely changes a test. */
const MIN_TESTED_LINES = 3;

const SIZES = [
  { lines: 1000, points: 5 },
  { lines: 400, points: 3 },
  { lines: 150, points: 1 },
] as const;

function sizeReason({ files }: RiskFacts): RiskReason[] {
  const own = files.filter(({ path }) => !pathKinds(path).has("generated"));
  const lines = own.reduce(
    (sum, { addedLines, deletedLines }) => sum + addedLines + deletedLines,
    0,
  );
  const points = SIZES.find((size) => lines >= size.lines)?.points;
  if (points === undefined) return [];
  const text = `${count(lines, "line")} in ${count(own.length, "file")}.`;
  return [{ kind: "size", points, text, files: [] }];
}

function binaryReason({ files }: RiskFacts): RiskReason[] {
  const binary = files
    .filter(({ isBinary, status }) => isBinary && status !== "deleted")
    .map(({ path }) => path);
  return reason("binary", 1, binary, "binary file");
}

/** A renamed file counts with both its paths. */
const pathsOf = (files: readonly RiskyFile[], isMeant: (path: string) => boolean): string[] => [
  ...new Set(files.flatMap(({ path, from }) => [path, from ?? path].filter(isMeant))),
];

function reason(
  kind: RiskKind,
  points: number,
  files: readonly string[],
  noun: string,
  verb = "changed",
  verbs = verb,
): RiskReason[] {
  const [first] = files;
  if (first === undefined) return [];
  const named = files.length === 1 ? `: ${first}` : "";
  const text = `${count(files.length, noun)} ${files.length === 1 ? verb : verbs}${named}.`;
  return [{ kind, points, text, files }];
}
