import { useState } from "react";
import type { PageAction } from "../../../protocol/actions.ts";
import { Button } from "../../parts/button.tsx";
import { TextArea } from "../../parts/field.tsx";
import type { Perform } from "../action-dialog.tsx";
import { FormError } from "../form-error.tsx";
import { useSubmit } from "../use-submit.ts";

export function ReasonForm({
  text,
  label,
  word,
  isOptional = false,
  makeAction,
  more,
  perform,
  onDone,
}: {
  text: string;
  label: string;
  word: string;
  isOptional?: boolean;
  makeAction: (reason: string) => PageAction;
  /** A second action with the same text; it becomes the main button. */
  more?: { readonly word: string; readonly makeAction: (reason: string) => PageAction };
  perform: Perform;
  onDone: () => void;
}) {
  const [reason, setReason] = useState("");
  const { isBusy, error, submit } = useSubmit(perform, onDone);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void submit(makeAction(reason.trim()));
      }}
    >
      <p className="mb-3 text-sm text-soft">{text}</p>
      <TextArea
        label={label}
        rows={3}
        required={!isOptional}
        value={reason}
        onChange={(event) => setReason(event.target.value)}
      />
      <FormError error={error} />
      <div className="mt-4 flex justify-end gap-2">
        <Button onClick={onDone}>Cancel</Button>
        <Button
          type="submit"
          look={more ? "plain" : "main"}
          isBusy={isBusy}
          disabled={!isOptional && reason.trim() === ""}
        >
          {word}
        </Button>
        {more && (
          <Button
            look="main"
            isBusy={isBusy}
            disabled={!isOptional && reason.trim() === ""}
            onClick={() => void submit(more.makeAction(reason.trim()))}
          >
            {more.word}
          </Button>
        )}
      </div>
    </form>
  );
}
