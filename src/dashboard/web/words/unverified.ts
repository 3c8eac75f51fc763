// What is said about receipts that this machine cannot verify, and what to do about them.

import type { StoryDetail } from "../../protocol/details.ts";
import type { StoryCard } from "../../protocol/messages.ts";
import { count } from "./format.ts";

type Of = Pick<StoryCard, "id" | "state">;
type Receipts = Pick<StoryDetail, "receipts" | "unverified" | "missing">;

export const unverifiedText = (detail: Receipts, story: Of): string =>
  [whatIsThere(detail), whatToDo(detail, story)].join(" ").trimEnd();

function whatIsThere({ unverified }: Receipts): string {
  const [does, them] = unverified === 1 ? ["does", "it"] : ["do", "them"];
  return `${count(unverified, "receipt")} cannot be verified on this machine and ${does} not count: another key sealed ${them}, or none did.`;
}

/** As the commands have it: what is merged stays so, and a gate without a receipt that counts is run. */
function whatToDo({ receipts, missing }: Receipts, { id, state }: Of): string {
  if (state === "completed") return "The story is merged: nothing to do.";
  // It was run here since.
  if (receipts.length > 0 && missing.length === 0) return "";
  return state === "review"
    ? `\`saga run ${id}\` runs the gate again; \`saga accept ${id}\` runs it and accepts.`
    : `The gate runs again when its tasks are done: \`saga run ${id}\`.`;
}
