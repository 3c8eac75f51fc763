// A project with a story and its journal.

import { projectWith } from "./one-story.ts";
import { aStory, aTask, type Project } from "./project.ts";

export const JOURNAL_FILE = ".saga/stories/s/journal.md";

export const withStory = (): Project => projectWith(aStory("s"), aTask("t"));

interface Entry {
  readonly kind: string;
  readonly title: string;
  readonly body: string;
  readonly blocker?: string;
}

export async function journalOf(project: Project): Promise<{ entries: Entry[]; open: Entry[] }> {
  const { json } = await project.saga("journal", "s", "--json");
  return json() as unknown as { entries: Entry[]; open: Entry[] };
}
