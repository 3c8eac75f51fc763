import { describe, expect, it } from "vitest";
import { parseJournal } from "../../story/definition/journal.ts";
import { numberOf } from "./journal.ts";

const heading = (kind: string, number: string): string =>
  `## 2026-01-01T00:00:00.000Z ${kind} ${number}: Which one?\n`;
const journal = (...open: readonly string[]) =>
  parseJournal(open.map((number) => heading("Blocker", number)).join("\n"));

it("a question gets the next number, also after answered ones", () => {
  expect(numberOf({ kind: "blocker", blocker: undefined }, journal(), "one")).toBe("b1");
  const answered = parseJournal(`${heading("Blocker", "b1")}\n${heading("Resolution", "b1")}`);
  expect(numberOf({ kind: "blocker", blocker: undefined }, answered, "one")).toBe("b2");
});

it("other entries have no number", () => {
  expect(numberOf({ kind: "note", blocker: undefined }, journal("b1"), "one")).toBeUndefined();
});

describe("an answer", () => {
  const answer = (blocker: string | undefined, ...open: readonly string[]) =>
    numberOf({ kind: "resolution", blocker }, journal(...open), "one");

  it("is for the question that it names, or for the only one", () => {
    expect(answer("b2", "b1", "b2")).toBe("b2");
    expect(answer(undefined, "b3")).toBe("b3");
  });

  it("is refused if it could be for several questions, or is for none", () => {
    expect(() => answer(undefined, "b1", "b2")).toThrow("The story one has 2 open questions.");
    expect(() => answer(undefined)).toThrow("The story one has no open questions.");
    expect(() => answer("b9", "b1")).toThrow("The story one has no open question b9.");
  });
});
