// Marks the pull request of a story that goes back to its agent as a draft, so that it is not reviewed meanwhile. An
// unreachable forge is only a warning: the story's next run tries again.

import { messageOf } from "../errors.ts";
import type { StoryWork } from "./story-work.ts";

export async function backToDraft({ forge, branch, context }: StoryWork): Promise<void> {
  try {
    const pull = await forge.find(branch);
    if (pull?.state === "open" && !pull.isDraft) await forge.markDraft(pull.number);
  } catch (error) {
    context.onWarning?.(`Its pull request is still marked as ready: ${messageOf(error)}`);
  }
}
