// A story that goes back to its agent: nobody is to review its pull request meanwhile. A forge that cannot
// be reached stops nothing: the story's next run tries it again.

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
