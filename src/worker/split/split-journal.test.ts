import { expect, it } from "vitest";
import {
  appendEntry,
  parseJournal,
  type Journal,
  type NewEntry,
} from "../../story/definition/journal.ts";
import {
  mustStayWhole,
  openQuestion,
  splitAnswer,
  splitDecision,
  splitQuestion,
} from "./split-journal.ts";

const FACTS = { task: "form", reason: "The agent used no tool for 6 minutes." };
const question = splitQuestion("add-login", FACTS, ["x is too large. Make it smaller."]);

const journal = (...entries: Omit<NewEntry, "at">[]): Journal =>
  parseJournal(
    entries.reduce(
      (text, entry) => appendEntry(text, "T", { at: "2026-11-15T12:00:00.000Z", ...entry }),
      "",
    ),
  );

it("records what was split, why, and where the work is", () => {
  expect(splitDecision(FACTS, ["a", "b"], false)).toEqual({
    kind: "decision",
    title: "form was split into a, b",
    body: FACTS.reason,
  });
  expect(splitDecision(FACTS, ["a", "b"], true).body).toContain(
    "The work on form so far is committed",
  );
});

it("asks with the reason, the problems, and both ways to answer", () => {
  expect(question.body).toContain(FACTS.reason);
  expect(question.body).toContain("- x is too large. Make it smaller.");
  expect(question.body).toContain("`saga split add-login form --plan <file>`");
});

it("keeps a task whole when a person has answered, and only that task", () => {
  const blocker = { ...question, blocker: "b1" };
  const answer = { kind: "resolution" as const, blocker: "b1", title: "Do it.", body: "" };
  expect(mustStayWhole(journal(blocker), "form")).toBe(false);
  expect(mustStayWhole(journal(blocker, answer), "form")).toBe(true);
  expect(mustStayWhole(journal(blocker, answer), "page")).toBe(false);
});

it("accepts a split by hand as the answer, and watches its parts like any other task", () => {
  const blocker = { ...question, blocker: "b1" };
  expect(openQuestion(journal(blocker), "form")).toBe("b1");
  expect(openQuestion(journal(blocker), "page")).toBeUndefined();
  const split = journal(blocker, splitAnswer("b1", ["form", "style"]));
  expect(split.open).toEqual([]);
  expect(mustStayWhole(split, "form")).toBe(false);
});
