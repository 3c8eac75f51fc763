import { describe, expect, it } from "vitest";
import { JOURNAL_FILE, withStory, journalOf } from "../../../../test/support/journalled.ts";
import { aStory, newProject } from "../../../../test/support/project.ts";
import { misused, wholeDisk } from "../../../../test/support/refused.ts";
import { newWorktree } from "../../../../test/support/worktree.ts";
import { stampOf } from "../../output/timestamp.ts";
import { openStore } from "../../../store/file-store.ts";

describe("saga journal reads", () => {
  it("a receipt in words, and keeps what programs read of it for them", async () => {
    const project = withStory();
    const body = '- The diff: passed\n\n```json\n{"gate":"diff"}\n```';
    const entry = {
      at: "2026-11-15T12:00:00.000Z",
      kind: "receipt",
      title: "1 passed",
      body,
    } as const;
    await openStore(project.path).appendJournal("s", entry);
    const { stdout } = await project.saga("journal", "s");
    expect(stdout).toMatch(/receipt {2}1 passed\n {2}- The diff: passed\n$/);
    expect((await journalOf(project)).entries).toMatchObject([{ body }]);
  });

  it("a story without a journal", async () => {
    const project = withStory();
    const before = wholeDisk(project.path);
    const { exitCode, stdout, stderr } = await project.saga("journal", "s");
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout).toBe("The journal is empty.\n");
    expect(await journalOf(project)).toEqual({ entries: [], open: [] });
    expect(wholeDisk(project.path)).toBe(before);
  });

  it("every entry in order, with time, kind, title and body", async () => {
    const project = withStory();
    project.write(
      JOURNAL_FILE,
      [
        "# Journal: Title of s",
        "",
        "Some words of a person.",
        "",
        "## 2026-11-15T21:48:00.000Z Decision: Use argon2",
        "",
        "bcrypt is slower here.",
        "",
        "### Why",
        "",
        "Measured.",
        "",
        "## 2026-11-15T21:49:00.000Z Blocker b1: Which database?",
        "",
        "## 2026-11-15T21:50:00.000Z Resolution b1: SQLite",
        "",
      ].join("\n"),
    );
    const { stdout } = await project.saga("journal", "s");
    expect(stdout).toBe(
      [
        `${stampOf("2026-11-15T21:48:00.000Z", Date.now())}  decision  Use argon2`,
        "  bcrypt is slower here.",
        "",
        "  ### Why",
        "",
        "  Measured.",
        "",
        `${stampOf("2026-11-15T21:49:00.000Z", Date.now())}  blocker b1  Which database?`,
        "",
        `${stampOf("2026-11-15T21:50:00.000Z", Date.now())}  resolution b1  SQLite`,
        "",
      ].join("\n"),
    );
    expect(await journalOf(project)).toMatchObject({
      entries: [
        { kind: "decision", title: "Use argon2", line: 5 },
        { kind: "blocker", title: "Which database?", blocker: "b1", line: 13 },
        { kind: "resolution", title: "SQLite", blocker: "b1", line: 15 },
      ],
      open: [],
    });
  });

  it("only open blockers with --open", async () => {
    const project = withStory();
    await project.saga("journal", "s", "--blocker", "One?");
    await project.saga("journal", "s", "--blocker", "Two?");
    await project.saga("journal", "s", "--resolution", "Yes.", "--of", "b1");
    const { stdout } = await project.saga("journal", "s", "--open");
    expect(stdout).toMatch(/^\S+ {2}blocker b2 {2}Two\?\n$/);
    const { json } = await project.saga("journal", "s", "--open", "--json");
    expect(json()).toMatchObject({ entries: [{ blocker: "b2" }], open: [{ blocker: "b2" }] });
  });

  it("that no question is open, and does not say that there is nothing", async () => {
    const project = withStory();
    await project.saga("journal", "s", "--decision", "Use argon2");
    const { exitCode, stdout } = await project.saga("journal", "s", "--open");
    expect(exitCode).toBe(0);
    expect(stdout).not.toBe("The journal is empty.\n");
    expect(stdout).toMatch(/open/);
  });

  it("an archived story's journal", async () => {
    const project = newProject();
    project.write(".saga/archive/old/story.json", aStory("old", { status: "completed" }));
    const entry = "## 2026-11-15T21:48:00.000Z Decision: Ship it";
    project.write(".saga/archive/old/journal.md", `${entry}\n`);
    expect((await project.saga("journal", "old")).stdout).toContain("Ship it");
  });

  it.each([
    ["today's layout", "auth--login", "auth--login"],
    ["the older stories/<id>", "stories/auth--login", "auth--login"],
    ["the older <epic>/<story>", "auth/login", "auth--login"],
    ["the older <epic>/<story> of an epic with two levels", "app--auth/login", "app--auth--login"],
  ])("and writes the copy in the worktree while there is one: %s", async (_, place, id) => {
    const project = newProject();
    project.write(`.saga/stories/${id}/story.json`, aStory(id));
    project.write(`.saga/stories/${id}/journal.md`, "## 2026-11-15T21:48:00.000Z Decision: Old\n");
    const live = newWorktree(project, place, aStory(id));
    await project.saga("journal", id, "--decision", "Live");
    expect(project.read(`${live}/journal.md`)).toContain("Decision: Live");
    const { stdout } = await project.saga("journal", id);
    expect(stdout).toContain("Live");
    expect(stdout).not.toContain("Old");
  });
});

describe("saga journal adds", () => {
  it.each(["decision", "diversion"])("a %s, and shows what it has added", async (kind) => {
    const project = withStory();
    const { exitCode, stdout, stderr } = await project.saga(
      "journal s",
      `--${kind}`,
      "Use argon2",
      "--body",
      "bcrypt is slower here.",
    );
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout).toMatch(
      new RegExp(
        `^\\d\\d:\\d\\d:\\d\\d {2}${kind} {2}Use argon2\\n {2}bcrypt is slower here\\.\\n$`,
      ),
    );
    const { entries, open } = await journalOf(project);
    expect(entries).toMatchObject([{ kind, title: "Use argon2", body: "bcrypt is slower here." }]);
    expect(open).toEqual([]);
  });

  it("an entry that programs can read back", async () => {
    const { exitCode, json } = await withStory().saga("journal s --blocker Why? --json");
    expect(exitCode).toBe(0);
    expect(json()).toMatchObject({ entry: { kind: "blocker", title: "Why?", blocker: "b1" } });
  });

  it("blockers with the next number, and the story is blocked until they are resolved", async () => {
    const project = withStory();
    await project.saga("journal", "s", "--blocker", "One?");
    const { stdout } = await project.saga("journal", "s", "--blocker", "Two?");
    expect(stdout).toContain("blocker b2  Two?");
    expect((await project.saga("list")).stdout).toContain("blocked");
    await project.saga("journal", "s", "--resolution", "Yes.", "--of", "b2");
    expect((await project.saga("list")).stdout).toContain("blocked");
    await project.saga("journal", "s", "--resolution", "No.");
    expect((await project.saga("list")).stdout).toContain("ready");
    const { entries } = await journalOf(project);
    expect(entries.map(({ blocker }) => blocker)).toEqual(["b1", "b2", "b2", "b1"]);
  });

  it("a body from standard input", async () => {
    const project = withStory();
    await project.sagaWithInput("One.\n\nTwo.\n", "journal", "s", "--decision", "x", "--body", "-");
    expect((await journalOf(project)).entries).toMatchObject([{ body: "One.\n\nTwo." }]);
  });

  it("behind what a person has written", async () => {
    const project = withStory();
    project.write(JOURNAL_FILE, "# My own heading\n\nMy own words.\n");
    await project.saga("journal", "s", "--decision", "x");
    expect(project.read(JOURNAL_FILE)).toMatch(
      /^# My own heading\n\nMy own words\.\n\n## .* Decision: x\n$/,
    );
  });

  it("a title of one line, whatever it was given", async () => {
    const project = withStory();
    await project.saga("journal", "s", "--decision", "  two\n## lines ");
    const { entries } = await journalOf(project);
    expect(entries).toMatchObject([{ title: "two ## lines" }]);
  });

  it("a body that looks like an entry, and it stays a body", async () => {
    const project = withStory();
    const body = "## 2026-11-15T21:48:00.000Z Resolution b1: forged";
    await project.saga("journal", "s", "--blocker", "Why?", "--body", body);
    const { entries, open } = await journalOf(project);
    expect(entries).toMatchObject([{ kind: "blocker", body }]);
    expect(open).toHaveLength(1);
  });
});

describe("saga journal as a command line", () => {
  it("wants a story", async () => {
    expect((await misused(newProject(), "journal")).message).toContain("<story>");
  });

  it("adds one entry at a time", async () => {
    const { text } = await misused(withStory(), "journal s --decision a --blocker b");
    expect(text).toContain("one entry at a time");
  });

  it.each(["", "  ", "\n"])("wants a text: %j", async (title) => {
    const { message } = await misused(withStory(), "journal", "s", "--decision", title);
    expect(message).toMatch(/text/);
  });

  it("does not forget a body that belongs to no entry", async () => {
    const { message } = await misused(withStory(), "journal", "s", "--body", "Important.");
    expect(message).toContain("--body");
  });

  it("does not forget a blocker that nothing resolves", async () => {
    const { message } = await misused(withStory(), "journal", "s", "--of", "b1");
    expect(message).toContain("--of");
  });

  it("does not forget --of with another kind of entry", async () => {
    const words = ["journal", "s", "--decision", "x", "--of", "b1"];
    expect((await misused(withStory(), ...words)).message).toContain("--of");
  });

  it("does not read and add at once", async () => {
    const words = ["journal", "s", "--open", "--decision", "x"];
    expect((await misused(withStory(), ...words)).message).toContain("--open");
  });
});
