import { useState } from "react";
import { Button } from "../../parts/button.tsx";
import { Disclosure } from "../../parts/disclosure.tsx";
import { NumberField } from "../../parts/field.tsx";
import type { Perform } from "../action-dialog.tsx";
import { LimitFields, limitsIn, useLimits } from "./limit-fields.tsx";
import { FormError } from "../form-error.tsx";
import { useSubmit } from "../use-submit.ts";

/** Catches typos: no machine runs more at once. */
const MAX_AT_ONCE = 30;

export function RunEpicForm({
  epic,
  perform,
  onDone,
  isOffline = false,
}: {
  epic: string;
  perform: Perform;
  onDone: () => void;
  isOffline?: boolean;
}) {
  const [parallel, setParallel] = useState(1);
  const [merge, setMerge] = useState(false);
  const [limits, setLimits] = useLimits();
  const { isBusy, error, submit } = useSubmit(perform, onDone);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void submit({
          act: "epic-run",
          epic,
          parallel,
          ...(merge && { merge }),
          ...limitsIn(limits),
        });
      }}
    >
      <div className="flex flex-wrap items-center justify-end gap-3">
        <label
          className="flex items-center gap-2 text-sm text-soft"
          title="A story that depends on others starts when those are merged"
        >
          <input
            type="checkbox"
            checked={merge}
            onChange={(event) => setMerge(event.target.checked)}
          />
          Merge stories that pass
        </label>
        <NumberField
          label="Stories at once"
          min={1}
          max={MAX_AT_ONCE}
          value={parallel}
          onChange={setParallel}
        />
        <Button type="submit" look="main" isBusy={isBusy} disabled={isOffline}>
          Run the epic
        </Button>
      </div>
      <Disclosure word="Model, time, cost" className="mt-2 text-right">
        <div className="mt-2 text-left">
          <LimitFields value={limits} onChange={setLimits} />
        </div>
      </Disclosure>
      <FormError error={error} />
    </form>
  );
}
