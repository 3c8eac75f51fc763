import { expect, it } from "vitest";
import { legacyEntryKey } from "./legacy-journal-key.ts";

it("recognises an entry by its kind and its whole title", () => {
  const title = "How should the task api be split?";
  expect(legacyEntryKey({ kind: "blocker", title })).toBe("split api");
  expect(legacyEntryKey({ kind: "decision", title })).toBeUndefined();
  expect(legacyEntryKey({ kind: "blocker", title: `${title} Or not?` })).toBeUndefined();
});

it("a discarded story has the number of its snapshot, if there was one", () => {
  const title = "The work on this story was discarded";
  expect(legacyEntryKey({ kind: "decision", title })).toBe("discarded");
  expect(legacyEntryKey({ kind: "decision", title: `${title}: snapshot 3` })).toBe("discarded 3");
});
