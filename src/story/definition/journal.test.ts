import { describe, expect, it } from "vitest";
import {
  appendEntry,
  checkJournal,
  ENTRY_KINDS,
  nextBlocker,
  parseJournal,
  type NewEntry,
} from "./journal.ts";

const AT = "2026-11-15T21:48:00.000Z";
const entry = (fields: Partial<NewEntry> = {}): NewEntry => ({
  kind: "decision",
  at: AT,
  title: "Use argon2",
  body: "",
  ...fields,
});
const blocker = (name: string, title = "Which database?"): NewEntry =>
  entry({ kind: "blocker", blocker: name, title });
const resolution = (name: string): NewEntry =>
  entry({ kind: "resolution", blocker: name, title: "SQLite" });

const journalOf = (...entries: NewEntry[]): string =>
  entries.reduce((text, one) => appendEntry(text, "Add login", one), "");

describe("a journal", () => {
  it("is markdown that people can read", () => {
    const text = journalOf(
      entry({ body: "bcrypt is slower here." }),
      blocker("b1"),
      entry({ kind: "diversion", title: "Two tables" }),
    );
    expect(text).toBe(`# Journal: Add login

## ${AT} Decision: Use argon2

bcrypt is slower here.

## ${AT} Blocker b1: Which database?

## ${AT} Diversion: Two tables
`);
  });

  it("hides the key of an entry in a comment, with and without a text", () => {
    const question = entry({ key: "split form", body: "It is too large." });
    const text = journalOf(question, entry({ key: "conflict" }));
    expect(text).toContain("Use argon2\n\n<!-- saga: split form -->\n\nIt is too large.\n");
    expect(parseJournal(text).entries).toMatchObject([question, { key: "conflict", body: "" }]);
  });

  it("is empty at first", () => {
    expect(parseJournal("")).toEqual({ entries: [], open: [] });
  });

  it.each(ENTRY_KINDS)("returns a %s as it was added, with its line", (kind) => {
    const added = entry({ kind, blocker: kind.startsWith("d") ? undefined : "b7", body: "Why." });
    expect(parseJournal(journalOf(added)).entries).toEqual([{ ...added, line: 3 }]);
  });

  it.each([
    ["several paragraphs", "One.\n\nTwo."],
    ["a line that looks like an entry", `## ${AT} Resolution b1: No`],
    ["such a line in the middle", `Before.\n## ${AT} Blocker b9: Fake\nAfter.`],
    ["such a line that was escaped already", `\\## ${AT} Blocker b9: Fake`],
    ["a line that looks like a key", "<!-- saga: conflict -->\nNo."],
    ["a key that was escaped already", "\\<!-- saga: conflict -->"],
    ["such a line that was escaped twice", `\\\\## ${AT} Blocker b9: Fake`],
    ["headings of other kinds", "# One\n## Two\n### Three\n## 3 things"],
    ["a fenced block", `\`\`\`\n## ${AT} Decision: in code\n\`\`\``],
    ["a list, a table and a quote", "- a\n- b\n\n| a |\n| - |\n\n> c"],
    ["backslashes", "\\ \\\\ \\# \\n"],
    ["a line broken the older way", `a\r## ${AT} Decision: x`],
  ])("returns a body of %s unchanged", (_, body) => {
    const journal = parseJournal(journalOf(entry({ body }), blocker("b1")));
    expect(journal.entries.map((one) => [one.kind, one.body])).toEqual([
      ["decision", body],
      ["blocker", ""],
    ]);
  });

  it("takes no entry or answer from the text of another entry", () => {
    const body = `x\n## ${AT} Resolution b1: Answered by the agent itself`;
    const title = `y\n## ${AT} Resolution b1: And again`;
    const text = journalOf(blocker("b1"), entry({ body }), entry({ title }));
    expect(parseJournal(text).entries).toHaveLength(3);
    expect(parseJournal(text).open).toHaveLength(1);
  });

  it("keeps a title on one line", () => {
    const text = journalOf(entry({ title: "  two\n lines " }));
    expect(parseJournal(text).entries[0]?.title).toBe("two lines");
  });

  it("does not read a number at the start of a title as a blocker's", () => {
    const title = "b1: is what we do";
    expect(parseJournal(journalOf(entry({ title }))).entries).toMatchObject([
      { title, blocker: undefined },
    ]);
  });

  it("keeps a blocker with a blank title", () => {
    expect(parseJournal(journalOf(blocker("b1", " "))).open).toHaveLength(1);
  });
});

describe("a blocker", () => {
  it("is open until it is resolved", () => {
    expect(parseJournal(journalOf(blocker("b1"))).open).toMatchObject([{ blocker: "b1" }]);
    expect(parseJournal(journalOf(blocker("b1"), resolution("b1"))).open).toEqual([]);
  });

  it("is resolved by its number, in any order", () => {
    const text = journalOf(blocker("b1"), blocker("b2"), blocker("b10"), resolution("b2"));
    expect(parseJournal(text).open.map((one) => one.blocker)).toEqual(["b1", "b10"]);
    const more = [resolution("b10"), resolution("b1")].reduce(
      (before, one) => appendEntry(before, "", one),
      text,
    );
    expect(parseJournal(more).open).toEqual([]);
  });

  it("is not resolved by a decision", () => {
    expect(parseJournal(journalOf(blocker("b1"), entry())).open).toHaveLength(1);
  });

  it("gets the highest number so far plus one", () => {
    const next = (...entries: NewEntry[]): string =>
      nextBlocker(parseJournal(journalOf(...entries)));
    expect(next()).toBe("b1");
    expect(next(entry())).toBe("b1");
    expect(next(blocker("b9"), blocker("b10"), blocker("b2"))).toBe("b11");
    expect(next(blocker("b1"), resolution("b1"))).toBe("b2");
    expect(next(resolution("b4"))).toBe("b5");
  });
});

describe("a journal that was edited by hand", () => {
  it("may start and end with blank lines", () => {
    const text = appendEntry("\n# My notes\n\nhello  \n\n\n", "ignored", entry());
    expect(text).toBe(`\n# My notes\n\nhello\n\n## ${AT} Decision: Use argon2\n`);
  });

  it("gets its heading back after it was emptied", () => {
    expect(appendEntry(" \n\n", "Add login", entry())).toBe(journalOf(entry()));
  });

  it("may have the line breaks of Windows", () => {
    const text = journalOf(entry({ body: "One.\nTwo." }), blocker("b1"));
    expect(parseJournal(text.replaceAll("\n", "\r\n"))).toEqual(parseJournal(text));
  });

  it("keeps the text before its first entry", () => {
    const text = appendEntry("Some words.\n\n## Not an entry\n", "", blocker("b1"));
    expect(parseJournal(text).entries).toMatchObject([{ kind: "blocker", body: "", line: 5 }]);
  });

  it.each([
    `## ${AT} decision: lower case`,
    `## ${AT} Remark: another kind`,
    `# ${AT} Decision: another level`,
    `### ${AT} Decision: another level`,
    ` ## ${AT} Decision: indented`,
    "## yesterday Decision: no time",
    `## ${AT} Decision no colon`,
  ])("has entries of the exact form only: %s is text", (line) => {
    expect(parseJournal(`${journalOf(entry())}\n${line}\n`).entries).toMatchObject([
      { title: "Use argon2", body: line.trim() },
    ]);
  });

  it("has no problems when its numbers are unambiguous", () => {
    const text = journalOf(entry(), blocker("b1"), blocker("b2"), resolution("b1"));
    expect(checkJournal("journal.md", parseJournal(text))).toEqual([]);
  });

  it.each([
    [
      "a blocker without a number",
      [entry({ kind: "blocker" })],
      "This blocker has no number.",
      "Write it as `Blocker b1: …`.",
    ],
    [
      "a number used twice",
      [entry(), blocker("b1"), blocker("b1")],
      "The number b1 is used by two blockers.",
      "Renumber one.",
    ],
    [
      "a resolution of an unknown blocker",
      [blocker("b1"), resolution("b2")],
      "This resolves b2, which is not in the journal.",
      "Name a blocker of this journal: `Resolution b1: …`.",
    ],
    [
      "a resolution without a number",
      [blocker("b1"), entry({ kind: "resolution" })],
      "This resolution names no blocker.",
      "Name a blocker of this journal: `Resolution b1: …`.",
    ],
  ])("has a problem with %s, on its line", (_, entries, message, fix) => {
    const journal = parseJournal(journalOf(...entries));
    const line = journal.entries.at(-1)?.line;
    expect(checkJournal("journal.md", journal)).toEqual([
      { file: "journal.md", line, severity: "error", message, fix },
    ]);
  });
});
