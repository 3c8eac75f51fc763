import { useState } from "react";
import { CheckBox, NumberField } from "../../parts/field.tsx";
import { ActionForm, type FormProps } from "./action-form.tsx";

const DEFAULT_WORKERS = 2;
const MAX_WORKERS = 30;

export function StartPoolForm(form: FormProps) {
  const [workers, setWorkers] = useState(DEFAULT_WORKERS);
  const [once, setOnce] = useState(false);
  return (
    <ActionForm {...form} word="Start" act={{ act: "pool-start", workers, ...(once && { once }) }}>
      <div className="space-y-3">
        <p className="text-sm text-soft">Runs in its own session until you stop it.</p>
        <NumberField
          label="Tasks at once"
          min={1}
          max={MAX_WORKERS}
          value={workers}
          onChange={setWorkers}
        />
        <CheckBox label="Exit when no task is left to start" value={once} onChange={setOnce} />
      </div>
    </ActionForm>
  );
}
