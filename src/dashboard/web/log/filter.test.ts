import { describe, expect, it } from "vitest";
import { asText, countKinds, filterRows, matchesIn, NO_FILTER, withKind } from "./filter.ts";
import type { LogRow } from "./rows.ts";

const row = (number: number, kind: LogRow["kind"], head: string, text: string): LogRow => ({
  number,
  at: "2026-11-16T10:00:00.000Z",
  kind,
  tone: "plain",
  head,
  text,
});
const rows: readonly LogRow[] = [
  { ...row(0, "tools", "Bash", "npm test"), answer: { text: "3 passed", isError: false } },
  row(1, "says", "says", "I begin with the rates."),
  row(2, "problems", "refused", "Edit: package.json"),
];

describe("filterRows", () => {
  it("returns the same list without a filter", () => {
    expect(filterRows(rows, NO_FILTER)).toBe(rows);
  });

  it("finds the phrase in texts and answers, in any case, quoted or not", () => {
    const find = (search: string) =>
      filterRows(rows, { ...NO_FILTER, search }).map(({ number }) => number);
    expect(find("3 PASSED")).toEqual([0]);
    expect(find("bash  npm test")).toEqual([0]);
    expect(find('"the rates"')).toEqual([1]);
    expect(find("rates the")).toEqual([]);
    expect(find("package.json")).toEqual([2]);
    expect(find("package?json")).toEqual([]);
    expect(find("  ")).toEqual([0, 1, 2]);
  });

  it("does not match separate words of a phrase", () => {
    const steps = ["step 265: record 4505", "step 450: record 12"].map((text, at) =>
      row(at, "tools", "Bash", text),
    );
    const found = filterRows(steps, { ...NO_FILTER, search: "step 450" });
    expect(found.map(({ number }) => number)).toEqual([1]);
  });

  it("keeps only the chosen kinds", () => {
    const kinds = withKind(withKind(NO_FILTER.kinds, "says"), "problems");
    expect(filterRows(rows, { search: "", kinds }).map(({ number }) => number)).toEqual([1, 2]);
    expect(filterRows(rows, { search: "", kinds: withKind(kinds, "says") })).toHaveLength(1);
  });
});

it("counts rows by kind", () => {
  expect(countKinds(rows)).toMatchObject({ tools: 1, says: 1, problems: 1, gates: 0 });
});

it("copies rows as lines, with answers below their calls", () => {
  expect(asText(rows.slice(0, 1))).toMatch(/^\d\d:\d\d:\d\d Bash npm test\n +→ 3 passed\n$/);
});

describe("matchesIn", () => {
  it("finds each occurrence, also across line breaks", () => {
    expect(matchesIn("Rates and more rates", "rates")).toEqual([
      [0, 5],
      [15, 20],
    ]);
    expect(matchesIn("step\n450, step 45", "step 450")).toEqual([[0, 8]]);
  });

  it("is correct if lower case has another length", () => {
    expect(matchesIn("İstanbul", "stan")).toEqual([[1, 5]]);
  });
});
