import { Sentence } from "../parts/text/sentence.tsx";
import type { RefusedAct } from "./use-submit.ts";

/** In the form itself: whatever is beside an open dialog can be neither read nor pressed. */
export function Refused({ refused }: { refused: RefusedAct | undefined }) {
  if (refused === undefined) return null;
  return (
    <div role="alert" className="mt-3 w-full rounded-lg bg-bad-wash px-3 py-2 text-sm">
      <p className="text-bad">
        <Sentence text={refused.message} canCopy />
      </p>
      {refused.hint !== undefined && (
        <p className="mt-0.5 text-soft">
          <Sentence text={refused.hint} canCopy />
        </p>
      )}
    </div>
  );
}
