// Collects the facts from a story's files, lease and last run that `story/state/attention.ts` decides by.

import { attentionOf, hasConflict, type Attention } from "../../story/state/attention.ts";
import { isBegun, isMerging, type StoryView } from "./overview.ts";

/** `weakened`: sentences on how its definition requires less than when the story was started, read from git. */
export function attentionTo(view: StoryView, weakened?: readonly string[]): Attention | undefined {
  const { record, state, lastRun, openBlockers, isWorktreeGone } = view;
  return attentionOf({
    id: record.id,
    state,
    isBegun: isBegun(view),
    isLanding: isMerging(view),
    questions: openBlockers.map(({ title }) => title),
    hasConflict: hasConflict(record.tasks),
    isWorktreeGone,
    lastRun,
    weakened,
  });
}
