import { useState } from "react";
import type { PageAction } from "../../../protocol/actions.ts";
import { TextArea } from "../../parts/field.tsx";
import { ActionForm, type FormProps } from "./action-form.tsx";

interface ReasonAction {
  readonly word: string;
  readonly makeAction: (reason: string) => PageAction;
}

export function ReasonForm({
  text,
  label,
  isOptional = false,
  word,
  makeAction,
  more,
  ...form
}: FormProps &
  ReasonAction & {
    text: string;
    label: string;
    isOptional?: boolean;
    /** A second action with the same text; it becomes the main button. */
    more?: ReasonAction;
  }) {
  const [reason, setReason] = useState("");
  return (
    <ActionForm
      {...form}
      word={word}
      act={makeAction(reason.trim())}
      other={more && { word: more.word, act: more.makeAction(reason.trim()), isMain: true }}
      isReady={isOptional || reason.trim() !== ""}
    >
      <p className="mb-3 text-sm text-soft">{text}</p>
      <TextArea
        label={label}
        rows={3}
        required={!isOptional}
        value={reason}
        onChange={(event) => setReason(event.target.value)}
      />
    </ActionForm>
  );
}
