import { useEntity } from "../../live/hooks.ts";
import { stateActions } from "../../words/actions.ts";
import { ActionForm, type FormProps } from "./action-form.tsx";
import { LimitFields, limitsIn, useLimits } from "./limit-fields.tsx";

/** Starts or resumes a story with other limits for this run. */
export function StartForm({ story, ...form }: FormProps & { story: string }) {
  const card = useEntity("stories", story);
  const act = card && stateActions(card).includes("resume") ? "resume" : "run";
  const [limits, setLimits] = useLimits();
  return (
    <ActionForm
      {...form}
      word={act === "run" ? "Start" : "Resume"}
      act={{ act, story, ...limitsIn(limits) }}
    >
      <p className="mb-3 text-sm text-soft">Applies to this run only.</p>
      <LimitFields value={limits} onChange={setLimits} />
    </ActionForm>
  );
}
