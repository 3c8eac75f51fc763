import type { PageAction } from "../../../protocol/actions.ts";
import { Button } from "../../parts/button.tsx";
import { Sentence } from "../../parts/text/sentence.tsx";
import type { Perform } from "../action-dialog.tsx";
import { FormError } from "../form-error.tsx";
import { useSubmit } from "../use-submit.ts";

export function ConfirmForm({
  text,
  word,
  isSafe = false,
  act,
  perform,
  onDone,
}: {
  text: string;
  word: string;
  isSafe?: boolean | undefined;
  act: PageAction;
  perform: Perform;
  onDone: () => void;
}) {
  const { isBusy, error, submit } = useSubmit(perform, onDone);
  return (
    <>
      <p className="text-sm text-soft">
        <Sentence text={text} />
      </p>
      <FormError error={error} />
      <div className="mt-4 flex justify-end gap-2">
        <Button onClick={onDone}>Cancel</Button>
        <Button look={isSafe ? "main" : "danger"} isBusy={isBusy} onClick={() => void submit(act)}>
          {word}
        </Button>
      </div>
    </>
  );
}
