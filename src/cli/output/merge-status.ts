// What blocks a story's merge right now, for commands that only read.

import type { Context } from "../../context.ts";
import { readRange } from "../../dashboard/views/story-range.ts";
import {
  readReadiness,
  readWeakened,
  type CurrentReadiness,
} from "../../dashboard/views/story-readiness.ts";
import type { StoryView } from "../../store/views/overview.ts";
import type { StoryRecord } from "../../store/project/read.ts";
import type { Receipt } from "../../story/receipts/receipt.ts";

/** Undefined before the story has a branch, or if git fails. */
export async function readinessNow(
  { store, env }: Pick<Context, "store" | "env">,
  { record, epic }: { readonly record: StoryRecord; readonly epic: string | undefined },
  receipts: readonly Receipt[],
): Promise<CurrentReadiness | undefined> {
  const context = { store, env, now: Date.now };
  try {
    const range = await readRange(context, { id: record.id, branch: record.story.branch, epic });
    return range && (await readReadiness(context, record, { range, receipts }));
  } catch {
    return undefined;
  }
}

/** Stories in review whose definition asks for less than at their start, with the fields. Skips unreadable ones. */
export async function weakenedIn(
  { store, env }: Pick<Context, "store" | "env">,
  views: Iterable<StoryView>,
): Promise<Map<string, readonly string[]>> {
  const found = new Map<string, readonly string[]>();
  for (const { record, state, epicId } of views) {
    if (state !== "review" || record.source !== "worktree") continue;
    const weakened = await store
      .readStory(record.id)
      .then((whole) => readWeakened({ store, env, now: Date.now }, whole, epicId))
      .catch(() => []);
    if (weakened.length > 0) found.set(record.id, weakened);
  }
  return found;
}
