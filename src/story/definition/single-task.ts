// A story without tasks is worked on as a single one, with the story's title and description.

import type { Story } from "./story.ts";

const SINGLE_TASK = "implement";

interface SingleTask {
  readonly id: string;
  readonly subject: string;
  readonly description: string;
  readonly doneWhen?: string;
}

/** The story's guidance, checks and allowed files apply to every task, so they are not copied. */
export const singleTask = ({ title, description, doneWhen }: Story): SingleTask => ({
  id: SINGLE_TASK,
  subject: title,
  description,
  ...(doneWhen !== undefined && { doneWhen }),
});
