import { useState } from "react";
import type { PageAction, ActionResult } from "../../protocol/actions.ts";

export type Perform = (action: PageAction) => Promise<ActionResult>;

export type ActionFailure = Extract<ActionResult, { isOk: false }>;

export type OnSuccess = (result: Extract<ActionResult, { isOk: true }>) => void;

/** Runs one action at a time. On failure the form keeps what was typed and shows the error. */
export function useSubmit(perform: Perform, onDone: () => void) {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<ActionFailure>();
  /** `onSuccess` runs before the form closes. */
  const submit = async (action: PageAction, onSuccess?: OnSuccess): Promise<void> => {
    if (isBusy) return;
    setBusy(true);
    setError(undefined);
    const result = await perform(action);
    setBusy(false);
    if (!result.isOk) return setError(result);
    onSuccess?.(result);
    onDone();
  };
  return { isBusy, error, submit };
}
