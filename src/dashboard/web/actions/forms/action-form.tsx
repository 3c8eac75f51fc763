// A form that runs one action. It shows the error, and closes its dialog when the action has succeeded.

import type { ReactNode } from "react";
import type { PageAction } from "../../../protocol/actions.ts";
import { Button, type ButtonLook } from "../../parts/button.tsx";
import { FormError } from "../form-error.tsx";
import { useSubmit, type ActionFailure, type OnSuccess, type Perform } from "../use-submit.ts";

export interface FormProps {
  readonly perform: Perform;
  readonly onDone: () => void;
}

export interface FormAction {
  readonly word: string;
  readonly act: PageAction;
}

export function ActionForm({
  perform,
  onDone,
  word,
  act,
  look = "main",
  isReady = true,
  isInline = false,
  other,
  children,
}: FormProps &
  FormAction & {
    look?: ButtonLook;
    isReady?: boolean;
    /** Not in a dialog: there is nothing to cancel. */
    isInline?: boolean;
    /** A second way to send it. */
    other?:
      | (FormAction & { readonly isMain?: boolean; readonly onSuccess?: OnSuccess })
      | undefined;
    children: ReactNode | ((error: ActionFailure | undefined) => ReactNode);
  }) {
  const { isBusy, error, submit } = useSubmit(perform, onDone);
  const state = { isBusy, disabled: !isReady };
  const otherButton = other && (
    <Button
      {...state}
      look={other.isMain ? "main" : "plain"}
      onClick={() => void submit(other.act, other.onSuccess)}
    >
      {other.word}
    </Button>
  );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void submit(act);
      }}
    >
      {typeof children === "function" ? children(error) : children}
      <FormError error={error} />
      <div className="mt-4 flex flex-wrap justify-end gap-2">
        {!isInline && <Button onClick={onDone}>Cancel</Button>}
        {!other?.isMain && otherButton}
        <Button {...state} type="submit" look={other?.isMain ? "plain" : look}>
          {word}
        </Button>
        {other?.isMain && otherButton}
      </div>
    </form>
  );
}
