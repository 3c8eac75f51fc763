// The details that the fixture's server returns for a story.

import type {
  CommitCard,
  SnapshotCard,
  StoryDetail,
  StoryDiff,
  Timeline,
} from "../../../src/dashboard/protocol/details.ts";
import { EMPTY_STORY_DETAIL } from "../../../src/dashboard/views/story-detail.ts";
import type { StoryCard } from "../../../src/dashboard/protocol/messages.ts";
import type { Receipt } from "../../../src/story/receipts/receipt.ts";
import { receiptEntry } from "../../../src/story/receipts/receipt-text.ts";
import { before, runIdAt } from "./moment.ts";

export function detailOf(story: StoryCard): StoryDetail {
  if (story.isLegacy)
    return {
      ...EMPTY_STORY_DETAIL,
      problems: [],
      id: story.id,
      version: story.version,
      title: story.title,
      markdown: LEGACY,
    };
  return {
    ...EMPTY_STORY_DETAIL,
    problems: [],
    id: story.id,
    version: story.version,
    title: story.title,
    description:
      "Every price that a visitor sees is **final**: net price, tax of the country it is sent to, and shipping.\n\nRates change with the date, so an order keeps the ones it was made with.",
    guidance: "Amounts are integers in cents. See `src/money.ts`; do not add a library for it.",
    doneWhen: "The totals of the ten orders in `fixtures/orders.json` are right to the cent.",
    avoid: "Rounding line by line.",
    checks: ["npm test", "npm run lint"],
    writeFiles: ["src/prices/**", "src/invoice.ts", "fixtures/**"],
    needsReview: true,
    tasks: story.tasks.map((task) => ({
      ...task,
      description: `${task.subject}. Covered by a test that fails without it.`,
      guidance: "Begin with the failing test.",
      checks: ["npm test -- src/prices"],
      writeFiles: ["src/prices/**"],
    })),
    journal: JOURNAL.map((entry) => ({
      ...entry,
      isOpen: entry.isOpen && story.state === "blocked",
    })),
    receipts: RECEIPTS,
    tree: TREE,
    mergeBlockers:
      story.state === "review"
        ? [{ rule: "protected", message: "package-lock.json: a protected file was changed." }]
        : [],
    snapshots: story.run?.endedAt === undefined ? [] : SNAPSHOTS,
    runs: story.run
      ? [
          {
            ...story.run,
            model: "claude-sonnet-5",
            cycles: 2,
            inputTokens: 184_220,
            outputTokens: 12_940,
            ...(story.reason && { reason: story.reason }),
          },
          {
            id: "20261115T101500000Z-02be",
            startedAt: before(1749),
            endedAt: before(1702),
            outcome: "limit",
            reason: "The usage limit was reached; it resets at 14:00.",
            model: "claude-sonnet-5",
            cycles: 1,
            inputTokens: 93_100,
            outputTokens: 7_410,
            costUsd: 0.61,
          },
        ]
      : [],
    commits: COMMITS,
  };
}

const LEGACY = `# Import the old catalogue

Written in the older form, before stories were JSON.

- [x] Read the export
- [x] Map the categories
- [ ] Keep the old addresses alive

| field | becomes |
| --- | --- |
| \`isbn\` | \`books.isbn13\` |
`;

const notPassed: Receipt = {
  at: before(1705),
  gate: "check",
  command: "npm test",
  how: "exit 1",
  exitCode: 1,
  tree: "8f14e45fceea167a5a36dedd4bea2543a3b1c9d0",
  isPassed: false,
  ms: 8_420,
  findings: [],
};

const JOURNAL: StoryDetail["journal"] = [
  {
    kind: "receipt",
    at: before(1704),
    ...receiptEntry([notPassed]),
    isOpen: false,
  },
  {
    kind: "decision",
    at: before(1740),
    title: "Amounts are integers in cents",
    body: "Floating point lost a cent in 3 of the 10 example orders.",
    isOpen: false,
  },
  {
    kind: "blocker",
    at: before(1701),
    title: "Which rate counts for digital books?",
    body: "Two rates fit: `books` and `services`.",
    blocker: "b1",
    isOpen: false,
  },
  {
    kind: "resolution",
    at: before(1650),
    title: "Books, everywhere but in Hungary",
    body: "",
    blocker: "b1",
    isOpen: false,
  },
  {
    kind: "diversion",
    at: before(60),
    title: "Rates are read from a file, not from the service",
    body: "The service has no history. `fixtures/rates.json` has, and is checked in.",
    isOpen: false,
  },
  {
    kind: "blocker",
    at: before(52),
    title: "Should a declined card keep the order open, or cancel it at once?",
    body: "The provider lets a customer try again within **30 minutes**.",
    blocker: "b2",
    isOpen: true,
  },
];

const SNAPSHOTS: readonly SnapshotCard[] = [
  { number: 2, at: before(131), why: "Before its worker ended", files: 3 },
  { number: 1, at: before(1702), why: "The usage limit was reached", files: 11 },
];

export const TREE = "8f14e45fceea167a5a36dedd4bea2543a3b1c9d0";
const RECEIPTS: StoryDetail["receipts"] = [
  { at: before(140), gate: "diff", tree: TREE, isPassed: true, ms: 212, findings: [] },
  {
    at: before(139),
    gate: "check",
    command: "npm test",
    how: "exit 1",
    exitCode: 1,
    tree: TREE,
    isPassed: false,
    ms: 8_420,
    findings: [],
    tail: "  ✗ slows down after five failures\n    expected 429, got 200\n\n1 failed, 46 passed",
  },
  {
    at: before(133),
    gate: "check",
    command: "npm test",
    how: "exit 0",
    exitCode: 0,
    tree: TREE,
    isPassed: true,
    ms: 8_130,
    findings: [],
    tail: "47 passed",
  },
  {
    at: before(132),
    gate: "review",
    tree: TREE,
    isPassed: true,
    ms: 64_000,
    how: "Reads well; the throttle is per mail, as asked.",
    findings: [],
  },
];

export const COMMITS: readonly CommitCard[] = [
  {
    commit: "1c9f2e7a41b08d5e6f7788990011223344556677",
    subject: "Rates by country and date",
    task: "tax-table",
    at: before(19),
  },
  {
    commit: "7d0b43c2a9e8f1d2c3b4a5968778695a4b3c2d1e",
    subject: "Round once, at the end",
    task: "round-half-even",
    at: before(11),
  },
];

const PRICES = `diff --git a/src/prices/total.ts b/src/prices/total.ts
index 3b18e51..a042389 100644
--- a/src/prices/total.ts
+++ b/src/prices/total.ts
@@ -1,9 +1,14 @@
 import type { Line } from "../../cart.ts";
+import { rateOf, type Rates } from "../rates.ts";
 
-export function total(lines: readonly Line[]): number {
-  return lines.reduce((sum, line) => sum + Math.round(line.price * line.count * 1.2), 0);
+/** In cents. Rounded once: rounding each line loses up to half a cent on every one. */
+export function total(lines: readonly Line[], rates: Rates, country: string): number {
+  const exact = lines.reduce(
+    (sum, line) => sum + line.cents * line.count * (1 + rateOf(rates, country, line.kind)),
+    0,
+  );
+  return roundHalfEven(exact);
 }
`;
const RATES = `diff --git a/src/prices/rates.ts b/src/prices/rates.ts
new file mode 100644
index 0000000..5716ca5
--- /dev/null
+++ b/src/prices/rates.ts
@@ -0,0 +1,7 @@
+export type Rates = Readonly<Record<string, Readonly<Record<string, number>>>>;
+
+export function rateOf(rates: Rates, country: string, kind: string): number {
+  const rate = rates[country]?.[kind];
+  if (rate === undefined) throw new Error(\`No rate for \${kind} in \${country}.\`);
+  return rate;
+}
`;

export function diffOf(commit: string | null, since: string | null): StoryDiff {
  const total = { path: "src/prices/total.ts", added: 8, removed: 2 };
  const rates = { path: "src/prices/rates.ts", added: 7, removed: 0 };
  if (since === COMMITS[0]?.commit) return { diff: PRICES, isCut: false, files: [total] };
  if (commit === null) return { diff: PRICES + RATES, isCut: false, files: [total, rates] };
  return commit === COMMITS[0]?.commit
    ? { diff: RATES, isCut: false, files: [rates] }
    : { diff: PRICES, isCut: false, files: [total] };
}

export const timelineOf = (): Timeline => ({
  bars: [
    bar("checkout--cart", 1440, 38, "merged", 2.31),
    bar("checkout--payment", 1420, 44, "limit", 1.62),
    bar("checkout--payment", 95, 43, "blocked", 1.4),
    bar("accounts--sign-in", 260, 30, "failed", 0.94),
    bar("accounts--sign-in", 180, 49, "done", 1.82),
    bar("accounts--profile", 640, 52, undefined, 0.88),
    bar("faster-images", 310, 26, "failed", 1.12),
    bar("checkout--prices", 23, undefined, undefined, 1.84),
    bar("accounts--reset", 6, undefined, undefined, 0.31),
    bar("accounts--tables", 1300, 19, "merged", 0.92),
  ],
});

function bar(
  story: string,
  startedMinutesAgo: number,
  minutes: number | undefined,
  outcome: Timeline["bars"][number]["outcome"],
  costUsd: number,
): Timeline["bars"][number] {
  return {
    story,
    run: runIdAt(startedMinutesAgo),
    startedAt: before(startedMinutesAgo),
    ...(minutes !== undefined && { endedAt: before(startedMinutesAgo - minutes) }),
    ...(outcome && { outcome }),
    costUsd,
  };
}
