// Journals of early versions have no keys: Saga knew its own entries by their titles. The titles below are
// those of that time: they stay as they are when today's titles change.

import type { JournalEntry } from "./journal.ts";

export function legacyEntryKey({
  kind,
  title,
}: Pick<JournalEntry, "kind" | "title">): string | undefined {
  const found = TITLES.find(([of, pattern]) => of === kind && pattern.test(title));
  return found && title.replace(found[1], found[2]).trim();
}

const TITLES: readonly (readonly [kind: JournalEntry["kind"], title: RegExp, key: string])[] = [
  ["blocker", /^How should the task (\S+) be split\?$/, "split $1"],
  ["resolution", /^It is split by hand into .*$/, "split-by-hand"],
  [
    "blocker",
    /^All tasks are marked completed, and not one file was changed\. Is that right\?$/,
    "nothing-changed",
  ],
  ["blocker", /^The story conflicts with .+ again\. How is it to be resolved\?$/, "conflict"],
  ["decision", /^The work on this story was discarded(?:: snapshot (\d+))?$/, "discarded $1"],
];
