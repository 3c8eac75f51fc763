// The copy of a story in the person's checkout, while the current copy is in the worktree.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { newReading } from "../project/find.ts";
import { storiesFolder, type Layout } from "../project/layout.ts";
import { readStory, type StoryRecord } from "../project/read.ts";

/** Undefined when there is none or it is invalid. */
export function readCheckoutCopy(
  at: Layout,
  { id, source }: Pick<StoryRecord, "id" | "source">,
): StoryRecord | undefined {
  const folder = join(storiesFolder(at), id);
  if (source !== "worktree" || !existsSync(join(folder, "story.json"))) return undefined;
  return readStory(at, { id, folder, source: "project" }, newReading());
}
