// Keys for journals of early versions, which had none: Saga recognised its entries by their titles. These are the
// titles of that time. They stay as they are when today's titles change.

import type { JournalEntry } from "./journal.ts";

export function legacyEntryKey({
  kind,
  title,
}: Pick<JournalEntry, "kind" | "title">): string | undefined {
  const match = TITLES.find(([entryKind, pattern]) => entryKind === kind && pattern.test(title));
  return match && title.replace(match[1], match[2]).trim();
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
