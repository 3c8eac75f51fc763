import { useState } from "react";
import type { PageAction, ActionResult } from "../../protocol/actions.ts";
import type { Perform } from "./act-dialog.tsx";

export type RefusedAct = Extract<ActionResult, { isOk: false }>;

/** One at a time; what was typed stays where it is when the server refuses, with the reason beside it. */
export function useSubmit(perform: Perform, onDone: () => void) {
  const [isBusy, setBusy] = useState(false);
  const [refused, setRefused] = useState<RefusedAct>();
  const submit = async (what: PageAction): Promise<void> => {
    if (isBusy) return;
    setBusy(true);
    setRefused(undefined);
    const acted = await perform(what);
    setBusy(false);
    if (acted.isOk) onDone();
    else setRefused(acted);
  };
  return { isBusy, refused, submit };
}
