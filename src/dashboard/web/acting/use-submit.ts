import { useState } from "react";
import type { Act } from "../../protocol.ts";
import type { Perform } from "./act-dialog.tsx";

/** One at a time; what was typed stays where it is when the server refuses. */
export function useSubmit(perform: Perform, onDone: () => void) {
  const [isBusy, setBusy] = useState(false);
  const submit = async (what: Act): Promise<void> => {
    if (isBusy) return;
    setBusy(true);
    const { isOk } = await perform(what);
    setBusy(false);
    if (isOk) onDone();
  };
  return { isBusy, submit };
}
