// Whether a story of an epic may run beside another one. Pure.
//
//   both declare their files       beside each other only if no file can be in both; otherwise it starts when the other
//                                  one is merged, on top of its work
//   one does not                   `watch`: beside each other, and early warning reports what conflicts;
//                                  `avoid`: one after the other
//   it resolves a conflict         after the stories that it also conflicts with and that are about to be merged: it
//                                  would have to resolve twice

import { mayOverlap } from "../gate/globs.ts";
import type { ConflictAhead } from "../story/early-warning/conflicts-ahead.ts";
import type { Settings } from "../story/settings/settings.ts";

export interface Neighbour {
  readonly id: string;
  /** Undefined if the story does not declare them: then it may write anything. */
  readonly writes: readonly string[] | undefined;
  /** It has a conflict with its target: its agent is to resolve it, or has resolved it. */
  readonly conflict: "open" | "resolved" | undefined;
}

export interface OverlapRules {
  readonly overlap: Settings["epic"]["overlap"];
  /** The conflicts that early warning has found. */
  readonly conflicts: readonly ConflictAhead[];
}

export type OverlapReason = "same-files" | "conflict";

/** Why the story cannot start while the other one runs or is merged. Undefined if it can. */
export function whyNotTogether(
  story: Neighbour,
  other: Neighbour & { readonly isMerging: boolean },
  { overlap, conflicts }: OverlapRules,
): OverlapReason | undefined {
  const isAboutToLand = other.isMerging || other.conflict !== undefined;
  if (story.conflict === "open" && isAboutToLand && doConflict(conflicts, story.id, other.id)) {
    return "conflict";
  }
  const areDeclared = story.writes !== undefined && other.writes !== undefined;
  if (!areDeclared && overlap === "watch") return undefined;
  return mayOverlap(story.writes, other.writes) ? "same-files" : undefined;
}

export const overlapText = (reason: OverlapReason, other: string): string =>
  reason === "conflict"
    ? `it also conflicts with ${other}, which is merged first`
    : `${other} may write the same files`;

const doConflict = (conflicts: readonly ConflictAhead[], one: string, other: string): boolean =>
  conflicts.some(
    ({ story, with: { kind, name } }) =>
      kind === "story" && ((story === one && name === other) || (story === other && name === one)),
  );
