import { expect, it } from "vitest";
import { failedChecks, outputEnd } from "./failed-output.ts";
import type { Receipt } from "./receipt.ts";

const check = (command: string | undefined, isPassed: boolean, tail = ""): Receipt => ({
  at: "2026-01-01T00:00:00.000Z",
  gate: command === undefined ? "diff" : "check",
  tree: "a".repeat(40),
  isPassed,
  ms: 1,
  findings: [],
  command,
  tail,
});

it("are those whose last run failed", () => {
  const receipts = [
    check("one", false, "old"),
    check("two", true),
    check("one", true),
    check("two", false, "new"),
    check(undefined, false),
  ];
  expect(failedChecks(receipts).map(({ tail }) => tail)).toEqual(["new"]);
});

it("their output is shown from its end", () => {
  expect(outputEnd({ tail: "a\nb\n" })).toBe("a\nb");
  const lines = Array.from({ length: 25 }, (_, at) => String(at + 1));
  const shown = outputEnd({ tail: lines.join("\n") }).split("\n");
  expect(shown[0]).toBe("… 5 lines before");
  expect(shown.slice(1)).toEqual(lines.slice(5));
  expect(outputEnd({ tail: undefined })).toBe("");
});
