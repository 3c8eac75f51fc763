import { describe, expect, it } from "vitest";
import { appendEntry, parseJournal, type Journal, type NewEntry } from "../definition/journal.ts";
import { headlessPrompt } from "./story-prompt.ts";
import { storySchema } from "../definition/story.ts";

const least = { id: "add-login", title: "Add login", description: "A form.\n\nWith a button." };
const story = storySchema.parse(least);
const TASKS = "Execute the tasks in the task list using TaskList, TaskGet, and TaskUpdate.";

/** Written and parsed, as from its file. */
const journal = (...entries: Partial<NewEntry>[]): Journal =>
  parseJournal(
    entries.reduce(
      (text, entry) =>
        appendEntry(text, "Add login", {
          kind: "decision",
          at: "2026-11-15T21:48:00.000Z",
          title: "x",
          body: "",
          ...entry,
        }),
      "",
    ),
  );

describe("the prompt of an agent run", () => {
  it("has the story's whole context, then what to do", () => {
    const whole = storySchema.parse({
      ...least,
      guidance: "Small steps.",
      doneWhen: "People can log in.",
      avoid: "Cookies.",
    });
    const context = [
      "You are working on: Add login",
      "A form.",
      "With a button.",
      "Guidance: Small steps.",
      "Done when: People can log in.",
      "Avoid: Cookies.",
      TASKS,
    ].join("\n\n");
    expect(headlessPrompt(whole).startsWith(`${context}\n\n`)).toBe(true);
  });

  it.each([undefined, "", " \n"])("has no heading without a text: %j", (blank) => {
    const blanks = storySchema.parse({ ...least, guidance: blank, doneWhen: blank, avoid: blank });
    expect(headlessPrompt(blanks)).toBe(headlessPrompt(story));
    expect(headlessPrompt(blanks)).not.toMatch(/Guidance|Done when|Avoid/);
  });

  it.each(["journal tool", "report_blocker", "do not commit", "this folder only", "in_progress"])(
    "has the rules of working alone: %s",
    (rule) => {
      expect(headlessPrompt(story)).toContain(rule);
    },
  );

  it("has every answered question with its answer, before the rules", () => {
    const prompt = headlessPrompt(
      story,
      journal(
        { kind: "blocker", blocker: "b1", title: "Which database?", body: "Both are there.\nOdd." },
        { kind: "decision", title: "Names are in English.", body: "All of them." },
        { kind: "blocker", blocker: "b2", title: "Which port?" },
        { kind: "resolution", blocker: "b2", title: "8080" },
        { kind: "resolution", blocker: "b1", title: "The first.", body: "The second\ngoes away." },
      ),
    );
    expect(prompt).toContain(
      [
        "",
        "Questions that came up earlier, and the answers to them:",
        "- Which port?",
        "  Answer: 8080",
        "- Which database?",
        "  Both are there.",
        "  Odd.",
        "  Answer: The first.",
        "  The second",
        "  goes away.",
        "",
        TASKS,
      ].join("\n"),
    );
    expect(prompt).not.toContain("Names are in English.");
  });

  it.each([
    ["no entries", journal()],
    ["no answers", journal({ kind: "blocker", blocker: "b1", title: "Which database?" })],
    ["decisions only", journal({ kind: "decision", title: "Names are in English." })],
  ])("leaves out a journal with %s", (_, read) => {
    expect(headlessPrompt(story, read)).toBe(headlessPrompt(story));
  });
});
