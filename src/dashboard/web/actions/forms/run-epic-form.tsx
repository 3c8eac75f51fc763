import { useState } from "react";
import { useIsOffline } from "../../live/hooks.ts";
import { Disclosure } from "../../parts/disclosure.tsx";
import { CheckBox, NumberField } from "../../parts/field.tsx";
import { ActionForm, type FormProps } from "./action-form.tsx";
import { LimitFields, limitsIn, useLimits } from "./limit-fields.tsx";

/** Catches typos: no machine runs more at once. */
const MAX_AT_ONCE = 30;

export function RunEpicForm({ epic, ...form }: FormProps & { epic: string; isInline?: boolean }) {
  const isOffline = useIsOffline();
  const [parallel, setParallel] = useState(1);
  const [merge, setMerge] = useState(false);
  const [limits, setLimits] = useLimits();
  return (
    <ActionForm
      {...form}
      word="Run the epic"
      isReady={!isOffline}
      act={{ act: "epic-run", epic, parallel, ...(merge && { merge }), ...limitsIn(limits) }}
    >
      <div className="flex flex-wrap items-center justify-between gap-3">
        <CheckBox
          label="Merge stories that pass"
          title="A story that depends on others starts when those are merged"
          value={merge}
          onChange={setMerge}
        />
        <NumberField
          label="Stories at once"
          min={1}
          max={MAX_AT_ONCE}
          value={parallel}
          onChange={setParallel}
        />
      </div>
      <Disclosure word="Model, time, cost" className="mt-2">
        <div className="mt-2">
          <LimitFields value={limits} onChange={setLimits} />
        </div>
      </Disclosure>
    </ActionForm>
  );
}
