import { useState } from "react";
import { Button } from "../parts/button.tsx";
import { NumberField } from "../parts/field.tsx";
import type { Perform } from "./act-dialog.tsx";
import { Refused } from "./refused.tsx";
import { useSubmit } from "./use-submit.ts";

/** More at once than a machine can bear: a slip of the finger. */
const MOST_AT_ONCE = 30;

/** The same on the epic's page and in the palette's dialog. */
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
  const { isBusy, refused, submit } = useSubmit(perform, onDone);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void submit({ act: "epic-run", epic, parallel });
      }}
    >
      <div className="flex items-center justify-end gap-3">
        <NumberField
          label="Stories at once"
          min={1}
          max={MOST_AT_ONCE}
          value={parallel}
          onChange={setParallel}
        />
        <Button type="submit" look="main" isBusy={isBusy} disabled={isOffline}>
          Run the epic
        </Button>
      </div>
      <Refused refused={refused} />
    </form>
  );
}
