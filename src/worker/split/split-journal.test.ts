import { expect, it } from "vitest";
import {
  appendEntry,
  parseJournal,
  type Journal,
  type NewEntry,
} from "../../story/definition/journal.ts";
import {
  isWantedWhole,
  openQuestion,
  splitAnswer,
  splitDecision,
  splitQuestion,
} from "./split-journal.ts";

const FACTS = { task: "form", reason: "It used no tool for 6 minutes." };
const question = splitQuestion("add-login", FACTS, ["x is too large. Make it smaller."]);

const journal = (...entries: Omit<NewEntry, "at">[]): Journal =>
  parseJournal(
    entries.reduce(
      (text, entry) => appendEntry(text, "T", { at: "2026-11-15T12:00:00.000Z", ...entry }),
      "",
    ),
  );

it("says what was split and why, and what became of the work", () => {
  expect(splitDecision(FACTS, ["a", "b"], false)).toEqual({
    kind: "decision",
    title: "form is split into a, b",
    body: FACTS.reason,
  });
  expect(splitDecision(FACTS, ["a", "b"], true).body).toContain(
    "What was there of form is committed",
  );
});

it("asks with the reason, what was wrong, and both ways out", () => {
  expect(question.body).toContain(FACTS.reason);
  expect(question.body).toContain("- x is too large. Make it smaller.");
  expect(question.body).toContain("`saga split add-login form --plan <file>`");
});

it("lets a task be when a person has answered, and only that task", () => {
  const asked = { ...question, blocker: "b1" };
  const answer = { kind: "resolution" as const, blocker: "b1", title: "Do it.", body: "" };
  expect(isWantedWhole(journal(asked), "form")).toBe(false);
  expect(isWantedWhole(journal(asked, answer), "form")).toBe(true);
  expect(isWantedWhole(journal(asked, answer), "page")).toBe(false);
});

it("takes a split by hand for the answer, and watches its parts like any other task", () => {
  const asked = { ...question, blocker: "b1" };
  expect(openQuestion(journal(asked), "form")).toBe("b1");
  expect(openQuestion(journal(asked), "page")).toBeUndefined();
  const split = journal(asked, splitAnswer("b1", ["form", "style"]));
  expect(split.open).toEqual([]);
  expect(isWantedWhole(split, "form")).toBe(false);
});
