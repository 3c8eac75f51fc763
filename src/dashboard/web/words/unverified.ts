// The text about receipts that this machine cannot verify, and what to do about them. Pure.

import type { StoryDetail } from "../../protocol/details.ts";
import type { StoryCard } from "../../protocol/messages.ts";
import { count } from "./format.ts";

type UnverifiedStory = Pick<StoryCard, "id" | "state">;
type Receipts = Pick<StoryDetail, "receipts" | "unverified" | "missing">;

export const unverifiedText = (detail: Receipts, story: UnverifiedStory): string =>
  [problemText(detail), adviceText(detail, story)].join(" ").trimEnd();

function problemText({ unverified }: Receipts): string {
  const [does, them] = unverified === 1 ? ["does", "it was"] : ["do", "they were"];
  return `${count(unverified, "check result")} cannot be verified on this machine and ${does} not count: ${them} not signed with this machine's key.`;
}

/** The same advice as on the command line. */
function adviceText({ receipts, missing }: Receipts, { id, state }: UnverifiedStory): string {
  if (state === "completed") return "The story is merged: nothing to do.";
  // The gate has since run on this machine.
  if (receipts.length > 0 && missing.length === 0) return "";
  return state === "review"
    ? `Run the gate again: \`saga run ${id}\`. Or run it and approve the story: \`saga accept ${id}\`.`
    : `The gate runs again when its tasks are done: \`saga run ${id}\`.`;
}
