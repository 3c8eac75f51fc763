import { describe, expect, it } from "vitest";
import { parseJournal } from "../story/definition/journal.ts";
import { conflictQuestion, describeConflict } from "./conflict.ts";

describe("a conflict in words", () => {
  const nothing = { did: "changed", commits: [] } as const;

  it("names what each side did to a file, with its commits", () => {
    const commit = "0123456789abcdef0123456789abcdef01234567";
    const files = [
      {
        path: "src/cart.ts",
        target: { did: "deleted", commits: [{ commit, subject: "Drop the cart" }] },
        story: nothing,
      },
    ] as const;
    expect(describeConflict({ files }, "main")).toBe(
      [
        '- "src/cart.ts"',
        "  - main deleted it: 0123456789 Drop the cart",
        "  - this story changed it",
      ].join("\n"),
    );
  });

  it("keeps a file name with a line break on one line", () => {
    const files = [{ path: "a\nb", target: nothing, story: nothing }];
    expect(describeConflict({ files }, "main").split("\n")).toHaveLength(3);
  });
});

describe("the question about a second conflict", () => {
  const open = "## 2026-11-15T21:48:00.000Z Blocker b1: How?\n\n<!-- saga: conflict -->\n";
  const answered = `${open}\n## 2026-11-15T21:50:00.000Z Resolution b1: Keep ours.\n`;

  it("is asked once, until it is answered", () => {
    expect(conflictQuestion(parseJournal(open), "main", "sides")).toBeUndefined();
    expect(conflictQuestion(parseJournal(answered), "main", "sides")).toMatchObject({
      kind: "blocker",
      key: "conflict",
      body: "sides",
    });
  });

  it("is asked although another question is open", () => {
    const other = "## 2026-11-15T21:48:00.000Z Blocker b1: Which database?\n";
    expect(conflictQuestion(parseJournal(other), "main", "sides")).toBeDefined();
  });
});
