// The limits of one run. An empty field means the value of the project's settings.

import { useId, useState } from "react";
import type { RunLimits } from "../../../protocol/actions.ts";
import { TextField } from "../../parts/field.tsx";

export interface LimitInput {
  readonly model: string;
  readonly minutes: string;
  readonly cost: string;
}

export const useLimits = () => useState<LimitInput>({ model: "", minutes: "", cost: "" });

export const limitsIn = ({ model, minutes, cost }: LimitInput): RunLimits => ({
  ...(model.trim() !== "" && { model: model.trim() }),
  ...(minutes !== "" && { maxMinutes: Number(minutes) }),
  ...(cost !== "" && { maxCostUsd: Number(cost) }),
});

const FROM_SETTINGS = "from settings";

export function LimitFields({
  value,
  onChange,
}: {
  value: LimitInput;
  onChange: (value: LimitInput) => void;
}) {
  const models = useId();
  return (
    <div className="grid grid-cols-1 gap-3 sm:grid-cols-3">
      <TextField
        label="Model"
        placeholder={FROM_SETTINGS}
        list={models}
        value={value.model}
        onChange={(event) => onChange({ ...value, model: event.target.value })}
      />
      <datalist id={models}>
        {["opus", "sonnet", "haiku"].map((name) => (
          <option key={name}>{name}</option>
        ))}
      </datalist>
      <TextField
        label="Time limit in minutes"
        type="number"
        min={1}
        placeholder={FROM_SETTINGS}
        value={value.minutes}
        onChange={(event) => onChange({ ...value, minutes: event.target.value })}
      />
      <TextField
        label="Cost limit in US dollars"
        type="number"
        min={0.01}
        step="any"
        placeholder={FROM_SETTINGS}
        value={value.cost}
        onChange={(event) => onChange({ ...value, cost: event.target.value })}
      />
    </div>
  );
}
