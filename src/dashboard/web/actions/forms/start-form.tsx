import { useEntity } from "../../live/hooks.ts";
import { Button } from "../../parts/button.tsx";
import { stateActions } from "../../words/actions.ts";
import type { Perform } from "../action-dialog.tsx";
import { LimitFields, limitsIn, useLimits } from "./limit-fields.tsx";
import { FormError } from "../form-error.tsx";
import { useSubmit } from "../use-submit.ts";

/** Starts or resumes a story with other limits for this run. */
export function StartForm({
  story,
  perform,
  onDone,
}: {
  story: string;
  perform: Perform;
  onDone: () => void;
}) {
  const card = useEntity("stories", story);
  const act = card && stateActions(card).includes("resume") ? "resume" : "run";
  const [limits, setLimits] = useLimits();
  const { isBusy, error, submit } = useSubmit(perform, onDone);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void submit({ act, story, ...limitsIn(limits) });
      }}
    >
      <p className="mb-3 text-sm text-soft">Applies to this run only.</p>
      <LimitFields value={limits} onChange={setLimits} />
      <FormError error={error} />
      <div className="mt-4 flex justify-end gap-2">
        <Button onClick={onDone}>Cancel</Button>
        <Button type="submit" look="main" isBusy={isBusy}>
          {act === "run" ? "Start" : "Resume"}
        </Button>
      </div>
    </form>
  );
}
