import { describe, expect, it } from "vitest";
import type { ConflictAhead } from "../story/early-warning/conflicts-ahead.ts";
import { overlapText, whyNotTogether, type Neighbour } from "./overlap.ts";

const one: Neighbour = { id: "one", writes: undefined, conflict: undefined };
const running = { id: "two", writes: undefined, conflict: undefined, isMerging: false };
const both: ConflictAhead = {
  story: "one",
  with: { kind: "story", name: "two" },
  files: ["a.txt"],
  since: "2026-01-01T00:00:00.000Z",
};
const watch = { overlap: "watch", conflicts: [] } as const;
const avoid = { overlap: "avoid", conflicts: [] } as const;

describe("a story runs beside another one", () => {
  it("if both declare files and share none, and not if they share one", () => {
    const a = { ...one, writes: ["a/**"] };
    for (const rules of [watch, avoid]) {
      expect(whyNotTogether(a, { ...running, writes: ["b/**"] }, rules)).toBeUndefined();
      expect(whyNotTogether(a, { ...running, writes: ["a/x"] }, rules)).toBe("same-files");
    }
  });

  it("if one of them does not declare its files, with watch only", () => {
    for (const writes of [undefined, ["a/**"]]) {
      expect(whyNotTogether({ ...one, writes }, running, watch)).toBeUndefined();
      expect(whyNotTogether({ ...one, writes }, running, avoid)).toBe("same-files");
      expect(whyNotTogether(one, { ...running, writes }, avoid)).toBe("same-files");
    }
  });

  it("that is being merged, by the same rules: it would start without the other's work", () => {
    const merging = { ...running, isMerging: true };
    expect(whyNotTogether(one, merging, avoid)).toBe("same-files");
    expect(whyNotTogether(one, merging, watch)).toBeUndefined();
  });
});

describe("a story that resolves a conflict", () => {
  const rules = { ...watch, conflicts: [both] };
  const resolving: Neighbour = { ...one, conflict: "open" };

  it("waits for stories that it also conflicts with and that are about to be merged", () => {
    expect(whyNotTogether(resolving, { ...running, isMerging: true }, rules)).toBe("conflict");
    for (const conflict of ["open", "resolved"] as const) {
      expect(whyNotTogether(resolving, { ...running, conflict }, rules)).toBe("conflict");
    }
    const other = { ...resolving, id: "two" };
    const first = { ...running, id: "one", conflict: "open" } as const;
    expect(whyNotTogether(other, first, rules)).toBe("conflict");
  });

  it("starts once it has no conflict to resolve any more", () => {
    const resolved: Neighbour = { ...one, conflict: "resolved" };
    expect(whyNotTogether(resolved, { ...running, isMerging: true }, rules)).toBeUndefined();
  });

  it("does not wait for a story that is still being written, or that it does not conflict with", () => {
    expect(whyNotTogether(resolving, running, rules)).toBeUndefined();
    expect(whyNotTogether(resolving, { ...running, isMerging: true }, watch)).toBeUndefined();
    const target = { ...both, with: { kind: "target", name: "two" } } as const;
    const merging = { ...running, isMerging: true };
    expect(whyNotTogether(resolving, merging, { ...watch, conflicts: [target] })).toBeUndefined();
  });
});

it("says which story it waits for", () => {
  expect(overlapText("same-files", "two")).toBe("two may write the same files");
  expect(overlapText("conflict", "two")).toContain("conflicts with two, which is merged first");
});
