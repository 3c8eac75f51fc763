import { useState } from "react";
import { Button } from "../../parts/button.tsx";
import { NumberField } from "../../parts/field.tsx";
import type { Perform } from "../action-dialog.tsx";
import { FormError } from "../form-error.tsx";
import { useSubmit } from "../use-submit.ts";

const DEFAULT_WORKERS = 2;
const MAX_WORKERS = 30;

export function StartPoolForm({ perform, onDone }: { perform: Perform; onDone: () => void }) {
  const [workers, setWorkers] = useState(DEFAULT_WORKERS);
  const [once, setOnce] = useState(false);
  const { isBusy, error, submit } = useSubmit(perform, onDone);
  return (
    <form
      className="space-y-3"
      onSubmit={(event) => {
        event.preventDefault();
        void submit({ act: "pool-start", workers, ...(once && { once }) });
      }}
    >
      <p className="text-sm text-soft">Runs in its own session until you stop it.</p>
      <NumberField
        label="Tasks at once"
        min={1}
        max={MAX_WORKERS}
        value={workers}
        onChange={setWorkers}
      />
      <label className="flex items-center gap-2 text-sm text-soft">
        <input type="checkbox" checked={once} onChange={(event) => setOnce(event.target.checked)} />
        Exit when no task is left to start
      </label>
      <FormError error={error} />
      <div className="flex justify-end gap-2 pt-1">
        <Button onClick={onDone}>Cancel</Button>
        <Button type="submit" look="main" isBusy={isBusy}>
          Start
        </Button>
      </div>
    </form>
  );
}
