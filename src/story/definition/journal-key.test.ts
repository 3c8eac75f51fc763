import { describe, expect, it } from "vitest";
import { answersTo, hasKey, openEntry } from "./journal-key.ts";
import { parseJournal, type EntryKind } from "./journal.ts";

const AT = "2026-11-15T12:00:00.000Z";
const entry = (kind: EntryKind, title: string) => ({ kind, title, at: AT, body: "" });

describe("an entry", () => {
  it("is identified by its key, whatever its title says", () => {
    const question = { ...entry("blocker", "§ Anything."), key: "split form" };
    expect(hasKey(question, "split form")).toBe(true);
    expect(hasKey(question, "split page")).toBe(false);
    expect(
      hasKey(
        { ...entry("blocker", "How should the task a be split?"), key: "conflict" },
        "split a",
      ),
    ).toBe(false);
  });
});

describe("a question with a key", () => {
  const blocker = `## ${AT} Blocker b1: Is that right?\n\n<!-- saga: nothing-changed -->\n`;

  it("is open until it is answered", () => {
    expect(openEntry(parseJournal(blocker), "nothing-changed")?.blocker).toBe("b1");
    expect(openEntry(parseJournal(blocker), "conflict")).toBeUndefined();
    const journal = parseJournal(`${blocker}\n## ${AT} Resolution b1: Yes\n`);
    expect(openEntry(journal, "nothing-changed")).toBeUndefined();
    expect(answersTo(journal, "nothing-changed")).toMatchObject([{ title: "Yes" }]);
    expect(answersTo(journal, "conflict")).toEqual([]);
  });
});
