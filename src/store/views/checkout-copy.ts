// The copy of a story in the person's checkout, while the story's own copy is in its worktree.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { newReading } from "../project/find.ts";
import { storiesFolder, type Layout } from "../project/layout.ts";
import { readStory, type StoryRecord } from "../project/read.ts";

/** Nothing when there is none, or none that can be read: it decides nothing then. */
export function readCheckoutCopy(
  at: Layout,
  { id, source }: Pick<StoryRecord, "id" | "source">,
): StoryRecord | undefined {
  const folder = join(storiesFolder(at), id);
  if (source !== "worktree" || !existsSync(join(folder, "story.json"))) return undefined;
  return readStory(at, { id, folder, source: "project" }, newReading());
}
