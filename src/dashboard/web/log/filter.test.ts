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
  it("is the same list without a filter", () => {
    expect(filterRows(rows, NO_FILTER)).toBe(rows);
  });

  it("finds every word anywhere in a row, answers included, in any case", () => {
    const find = (search: string) =>
      filterRows(rows, { ...NO_FILTER, search }).map(({ number }) => number);
    expect(find("PASSED bash")).toEqual([0]);
    expect(find("rates begin")).toEqual([1]);
    expect(find("rates bash")).toEqual([]);
    expect(find("  ")).toEqual([0, 1, 2]);
  });

  it("shows only the kinds that are chosen", () => {
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
  it("finds each word, in order and without overlaps", () => {
    expect(matchesIn("Rates and more rates", "rates ra")).toEqual([
      [0, 5],
      [15, 20],
    ]);
  });

  it("marks nothing where lower case has another length", () => {
    expect(matchesIn("İstanbul", "stan")).toEqual([]);
  });
});
