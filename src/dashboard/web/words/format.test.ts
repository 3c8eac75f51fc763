import { describe, expect, it } from "vitest";
import { ago, clock, count, duration, money, percent, tokens } from "./format.ts";

describe("numbers", () => {
  it.each([
    [0, "$0"],
    [0.004, "<$0.01"],
    [1.236, "$1.24"],
    [12_345.6, "$12,346"],
  ])("money: %d is %s", (usd, text) => expect(money(usd)).toBe(text));

  it("money: an estimate has a tilde, unless it is only a bound", () => {
    const amounts = [1.1, 0.004, 0].map((usd) => money(usd, true));
    expect(amounts).toEqual(["~$1.10", "<$0.01", "$0"]);
  });

  it.each([
    [0, "0"],
    [999, "999"],
    [12_345, "12.3k"],
    [184_220, "184k"],
    [999_999, "1.0M"],
  ])("tokens: %d is %s", (number, text) => expect(tokens(number)).toBe(text));

  it.each([
    [-5, "0s"],
    [59_999, "59s"],
    [60_000, "1m"],
    [200_000, "3m 20s"],
    [7_500_000, "2h 5m"],
    [273_600_000, "3d 4h"],
  ])("duration: %d ms is %s", (ms, text) => expect(duration(ms)).toBe(text));

  it("counts with a noun, and divides by zero without NaN", () => {
    expect([count(1, "task"), count(1200, "task"), count(2, "story", "stories")]).toEqual([
      "1 task",
      "1,200 tasks",
      "2 stories",
    ]);
    expect([percent(1, 3), percent(0, 0)]).toEqual([33, 0]);
  });
});

describe("times", () => {
  const now = Date.parse("2026-11-16T10:00:00Z");
  it.each([
    ["2026-11-16T10:00:02Z", "just now"],
    ["2026-11-16T09:59:20Z", "40s ago"],
    ["2026-11-16T09:01:00Z", "59m ago"],
    ["2026-11-15T11:00:00Z", "23h ago"],
    ["2026-11-01T10:00:00Z", "15d ago"],
    ["nonsense", "nonsense"],
  ])("%s is %s", (at, text) => expect(ago(at, now)).toBe(text));

  it("shows an invalid time unchanged", () => expect(clock("nonsense")).toBe("nonsense"));
});
