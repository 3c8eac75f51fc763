// What people read about a conflict ahead, in status, in `saga show` and on every page. Pure.

import { oneLine } from "../../text/one-line.ts";
import { otherSide, type ConflictAhead } from "./conflicts-ahead.ts";
import { filesText } from "./warning-text.ts";

/** Below the heading of a list. */
export const CONFLICTS_ABOUT =
  "Merged now, these would conflict. Whichever is merged second gets the conflict as a task for its agent.";

export interface ConflictWords {
  /** `cart and till` or `cart and main`; seen from a story: `with till` or `with main, its target`. */
  readonly sides: string;
  /** The first files, and how many more there are. */
  readonly files: string;
  /** What a person can do. */
  readonly advice: string;
}

interface WordsRequest {
  /** The story whose page or text it is. */
  readonly from?: string | undefined;
  readonly maxFiles?: number;
}

const MAX_FILES = 3;

/** `moreFiles`: how many were left out of `files`. */
export function conflictWords(
  conflict: ConflictAhead & { readonly moreFiles?: number },
  { from, maxFiles = MAX_FILES }: WordsRequest = {},
): ConflictWords {
  const { story, with: other, files, moreFiles } = conflict;
  return {
    sides:
      from === undefined ? `${story} and ${oneLine(other.name)}` : sideSeenFrom(conflict, from),
    files: filesText(files, maxFiles, moreFiles),
    advice:
      other.kind === "target"
        ? `You need not act while it runs. Then \`saga merge ${story}\` gives the conflict to its agent as a task.`
        : `You need not act while they run. Then merge the more urgent one first (\`saga merge ${story}\` or \`saga merge ${other.name}\`); the agent of the other gets the conflict as a task.`,
  };
}

function sideSeenFrom(conflict: ConflictAhead, storyId: string): string {
  const { kind, name } = otherSide(conflict, storyId);
  return kind === "target" ? `with ${oneLine(name)}, its target` : `with ${name}`;
}
