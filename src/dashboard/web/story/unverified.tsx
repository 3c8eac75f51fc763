import { Sentence } from "../parts/text/sentence.tsx";
import { unverifiedText } from "../words/unverified.ts";
import type { TabProps } from "./story-page.tsx";

/** Explains receipts that do not count: otherwise it would look as if no gate had run. */
export function Unverified({ story, detail }: TabProps) {
  if (detail.unverified === 0) return null;
  return (
    <p role="note" className="rounded-xl bg-ask-wash px-4 py-3 text-sm">
      <Sentence text={unverifiedText(detail, story)} />
    </p>
  );
}
