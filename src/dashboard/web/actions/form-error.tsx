import { Sentence } from "../parts/text/sentence.tsx";
import type { ActionFailure } from "./use-submit.ts";

/** Inside the form: an open dialog makes everything outside it inert. */
export function FormError({ error }: { error: ActionFailure | undefined }) {
  if (error === undefined) return null;
  return (
    <div role="alert" className="mt-3 w-full rounded-lg bg-bad-wash px-3 py-2 text-sm">
      <p className="text-bad">
        <Sentence text={error.message} canCopy />
      </p>
      {error.hint !== undefined && (
        <p className="mt-0.5 text-soft">
          <Sentence text={error.hint} canCopy />
        </p>
      )}
    </div>
  );
}
