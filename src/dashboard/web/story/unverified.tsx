import { Sentence } from "../parts/text/sentence.tsx";
import { unverifiedText } from "../words/unverified.ts";
import type { TabProps } from "./story-page.tsx";

/** Receipts that are there and do not count: without a word about them, it would look as if no gate had run. */
export function Unverified({ story, detail }: TabProps) {
  if (detail.unverified === 0) return null;
  return (
    <p role="note" className="rounded-xl bg-ask-wash px-4 py-3 text-sm">
      <Sentence text={unverifiedText(detail, story)} />
    </p>
  );
}
