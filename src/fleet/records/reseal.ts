// Seals are made with a key of one machine. On their way to another machine, records get the fleet's seal instead, and there
// the seal of that machine. A record whose seal is not right loses it: its gate runs again.

import { isSealed, sealOf } from "../../store/runs/receipt-seal.ts";
import { sealedReceipt } from "../../store/runs/receipts.ts";
import type { Run, RunEvent } from "../../story/state/run.ts";

export interface Keys {
  readonly from: Buffer | undefined;
  readonly to: Buffer | undefined;
}

export function resealEvent(
  event: RunEvent,
  { story, id }: Pick<Run, "story" | "id">,
  keys: Keys,
): RunEvent {
  if (event.type !== "gate") return event;
  const place = { storyId: story, runId: id };
  const receipt = sealedReceipt(event, place, keys.from);
  const { seal: _, ...unsealed } = event;
  return receipt && keys.to ? { ...event, seal: sealOf(keys.to, receipt, place) } : unsealed;
}

export function resealRun(run: Run, { from, to }: Keys): Run {
  const { start, edit, ...rest } = run;
  const place = { storyId: run.story, runId: run.id };
  const startText = start && { start: start.commit };
  const editText = edit && { edit: edit.definition, from: edit.from };
  const isRight = (sealed: Parameters<typeof isSealed>[1] | undefined, seal: string | undefined) =>
    sealed !== undefined && from !== undefined && isSealed(from, sealed, { ...place, seal });
  return {
    ...rest,
    ...(to &&
      startText &&
      isRight(startText, start.seal) && {
        start: { ...start, seal: sealOf(to, startText, place) },
      }),
    ...(to &&
      editText &&
      isRight(editText, edit.seal) && {
        edit: { ...edit, seal: sealOf(to, editText, place) },
      }),
  };
}
