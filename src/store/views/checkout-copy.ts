// The copy of a story in the person's checkout, while the current copy is in the worktree.

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Problem } from "../../errors.ts";
import { newReading, type ReadProblems } from "../project/find.ts";
import { storiesFolder, type Layout } from "../project/layout.ts";
import { readStory, type StoryRecord } from "../project/read.ts";

/** Undefined when there is none or it is invalid. */
export function readCheckoutCopy(
  at: Layout,
  { id, source }: Pick<StoryRecord, "id" | "source">,
): StoryRecord | undefined {
  return readCopy(at, { id, source }, newReading());
}

/** What is invalid in it. It has no effect while the story has a worktree, but it is what others see. */
export function checkoutCopyProblems(
  at: Layout,
  record: Pick<StoryRecord, "id" | "source">,
): readonly Problem[] {
  const reading = newReading();
  readCopy(at, record, reading);
  return reading.problems;
}

function readCopy(
  at: Layout,
  { id, source }: Pick<StoryRecord, "id" | "source">,
  reading: ReadProblems,
): StoryRecord | undefined {
  const folder = join(storiesFolder(at), id);
  if (source !== "worktree" || !existsSync(join(folder, "story.json"))) return undefined;
  return readStory(at, { id, folder, source: "project" }, reading);
}
