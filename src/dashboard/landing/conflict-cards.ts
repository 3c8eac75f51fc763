// The conflicts that merges would meet, as the page receives them: each pair is an entity of its own. Pure.

import { conflictsAhead } from "../../story/early-warning/conflicts-ahead.ts";
import type { OpenWork } from "../../story/early-warning/open-work.ts";
import type { ConflictCard } from "../protocol/landing.ts";

/** More are not legible, and would be sent again with each change. */
const MAX_FILES = 20;

export function conflictCards(
  works: readonly OpenWork[],
  /** Whether a story has work that is not merged: a record may be left of one that has ended. */
  isOpen: (storyId: string) => boolean,
): Map<string, ConflictCard> {
  const open = works.filter(({ story }) => isOpen(story));
  return new Map(
    conflictsAhead(open).map((conflict) => {
      const { story, with: other, files } = conflict;
      const shown = files.slice(0, MAX_FILES);
      const card = { ...conflict, files: shown, moreFiles: files.length - shown.length };
      return [`${story} ${other.kind} ${other.name}`, card];
    }),
  );
}
