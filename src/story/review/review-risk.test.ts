import { describe, expect, it } from "vitest";
import { byRisk, reviewRisk, type RiskFacts, type RiskyFile } from "./review-risk.ts";

const file = (path: string, more: Partial<RiskyFile> = {}): RiskyFile => ({
  path,
  status: "modified",
  addedLines: 10,
  deletedLines: 2,
  isBinary: false,
  ...more,
});
const risk = (files: readonly RiskyFile[], more: Partial<RiskFacts> = {}) =>
  reviewRisk({
    files,
    isProtected: (path) => path.startsWith("guarded/"),
    weakened: [],
    receipts: [],
    ...more,
  });
const textsOf = (...given: Parameters<typeof risk>): string[] =>
  risk(...given).reasons.map(({ text }) => text);

describe("the risk of a review", () => {
  it("is low for a small change with its test", () => {
    expect(risk([file("src/cart.ts"), file("test/cart.test.ts")])).toEqual({
      level: "low",
      points: 0,
      reasons: [],
    });
  });

  it("is high for a protected file, and names it", () => {
    const { level, reasons } = risk([file("guarded/a.md")]);
    expect(level).toBe("high");
    expect(reasons).toEqual([
      {
        kind: "protected",
        points: 8,
        text: "1 protected file changed: guarded/a.md.",
        files: ["guarded/a.md"],
      },
    ]);
  });

  it("is high for a definition that asks for less", () => {
    expect(risk([], { weakened: ["A check is gone.", "Another one."] })).toMatchObject({
      level: "high",
      reasons: [{ kind: "definition", text: "A check is gone. (and 1 more)" }],
    });
  });

  it("grows with sensitive files, changed checks, weaker tests and deletions", () => {
    expect(
      textsOf([
        file("src/login.ts"),
        file("test/login.test.ts", { addedLines: 1, deletedLines: 9 }),
        file("package.json"),
        file("src/old.ts", { status: "deleted", addedLines: 0 }),
      ]),
    ).toEqual([
      "1 file that checks run on changed: package.json.",
      "1 test lost lines or was deleted: test/login.test.ts.",
      "1 sensitive file changed: src/login.ts.",
      "1 file was deleted: src/old.ts.",
    ]);
  });

  it("counts a renamed file with both its paths", () => {
    const renamed = file("docs/a.md", { status: "renamed", from: "guarded/a.md" });
    expect(risk([renamed]).reasons[0]).toMatchObject({
      kind: "protected",
      files: ["guarded/a.md"],
    });
  });

  it("grows with code that changed without its test, more so if no test changed", () => {
    const [none] = risk([file("src/a.ts"), file("src/b.ts")]).reasons;
    expect(none).toMatchObject({
      text: "2 code files changed without their tests.",
      points: 3,
    });
    const [some] = risk([file("src/a.ts"), file("src/b.ts"), file("src/b.test.ts")]).reasons;
    expect(some).toMatchObject({
      text: "1 code file changed without its test: src/a.ts.",
      points: 1,
    });
    expect(textsOf([file("src/a.ts", { addedLines: 2 })])).toEqual([]);
  });

  it("grows with size, without lock files", () => {
    const large = file("docs/a.md", { addedLines: 500, deletedLines: 0 });
    expect(textsOf([large])).toEqual(["500 lines in 1 file."]);
    expect(textsOf([file("package-lock.json", { addedLines: 5000 })])).toEqual([]);
  });

  it("grows with the reviewer's verdict and with overridden rules", () => {
    const finding = { rule: "review", file: "a.md", message: "Unclear." } as const;
    const receipt = { gate: "review" as const, isPassed: false, findings: [finding] };
    expect(risk([], { receipts: [receipt] }).reasons).toEqual([
      { kind: "verdict", points: 6, text: "The reviewer did not pass it.", files: ["a.md"] },
    ]);
    expect(
      textsOf([], {
        receipts: [
          { ...receipt, isPassed: true },
          {
            gate: "person",
            isPassed: true,
            findings: [],
            overridden: { rules: ["size"], why: "Fine.", who: "Ada" },
          },
        ],
      }),
    ).toEqual(["A person overrode: size.", "The reviewer passed it with 1 remark."]);
  });

  it("sorts the riskiest first, and unknown ones last", () => {
    const known = (id: string, points: number) => ({ id, risk: { points } });
    const sorted = [{ id: "x" }, known("b", 1), known("a", 1), known("c", 9)].toSorted(byRisk);
    expect(sorted.map(({ id }) => id)).toEqual(["c", "a", "b", "x"]);
  });
});
