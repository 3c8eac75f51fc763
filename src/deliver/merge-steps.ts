// What follows the merge of a story and of an epic.

import { messageOf } from "../errors.ts";
import type { Forge } from "../machine/forge/forge.ts";

/** After a merge: it is done by now, so a failure of what follows is only a warning. */
export async function attempt(warnings: string[], act: () => Promise<unknown>): Promise<void> {
  try {
    await act();
  } catch (error) {
    warnings.push(messageOf(error));
  }
}

export async function markMerged(forge: Forge, branch: string, commit: string): Promise<void> {
  const pull = await forge.find(branch);
  if (pull?.state === "open") await forge.markMerged(pull.number, commit);
}
