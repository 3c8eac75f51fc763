import { describe, expect, it } from "vitest";
import {
  feedbackText,
  hasFeedback,
  NO_NOTES,
  parseNotes,
  viewedState,
  withComment,
  withoutComment,
  withoutComments,
  withViewed,
  type ReviewComment,
} from "./review-notes.ts";

const comment: ReviewComment = {
  id: "1",
  file: "src/a.ts",
  line: 12,
  side: "new",
  code: "  return 1;",
  text: "Use the constant.\n",
};

describe("a viewed file", () => {
  const notes = withViewed(NO_NOTES, "src/a.ts", { revision: "abc", tip: "t1" });

  it("stays viewed after new commits, until its content changes", () => {
    expect(viewedState(notes, "src/a.ts", "abc")).toBe("viewed");
    expect(viewedState(notes, "src/a.ts", "def")).toBe("changed");
    expect(viewedState(notes, "src/b.ts", "abc")).toBe("new");
    expect(viewedState(notes, "constructor", "abc")).toBe("new");
    expect(notes.tip).toBe("t1");
  });

  it("can be unmarked", () => {
    expect(withViewed(notes, "src/a.ts", undefined).viewed).toEqual({});
  });
});

describe("the feedback", () => {
  it("names file and line of each comment, in their order", () => {
    const removed: ReviewComment = {
      id: "2",
      file: "src/a.ts",
      line: 3,
      side: "old",
      text: "Keep.",
    };
    const file: ReviewComment = { id: "3", file: "README.md", side: "new", text: "Say why." };
    const notes = [comment, removed, file].reduce(withComment, NO_NOTES);
    expect(feedbackText({ ...notes, overall: "Nearly there. " })).toBe(
      [
        "Nearly there.",
        "`README.md`\nSay why.",
        "`src/a.ts:3` (removed line)\nKeep.",
        "`src/a.ts:12`\n> return 1;\nUse the constant.",
      ].join("\n\n"),
    );
  });

  it("has a title if there is no comment on the whole", () => {
    expect(feedbackText(withComment(NO_NOTES, comment))).toMatch(/^Address the review comment\./);
    const two = withComment(withComment(NO_NOTES, comment), { ...comment, id: "2" });
    expect(feedbackText(two)).toMatch(/^Address 2 review comments\./);
  });

  it("is gone after it was sent, or if its comments were removed", () => {
    const notes = withComment(NO_NOTES, comment);
    expect(hasFeedback(notes)).toBe(true);
    expect(hasFeedback(withoutComment(notes, "1"))).toBe(false);
    expect(hasFeedback(withoutComments({ ...notes, overall: "x" }))).toBe(false);
  });
});

it("reads what it wrote, and nothing from a damaged text", () => {
  const notes = withViewed(withComment(NO_NOTES, comment), "a", { revision: "r", tip: "t" });
  expect(parseNotes(JSON.stringify(notes))).toEqual(notes);
  for (const text of [
    null,
    "",
    "{",
    "null",
    "[]",
    '{"comments":[null,{"id":1}],"viewed":{"a":1}}',
  ]) {
    expect(parseNotes(text)).toEqual(NO_NOTES);
  }
});
