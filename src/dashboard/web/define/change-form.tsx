// Changes fields of a story, a task or an epic.

import { useState } from "react";
import type { DefinitionKind } from "../../protocol/definition-actions.ts";
import type { Perform } from "../actions/action-dialog.tsx";
import { FormError } from "../actions/form-error.tsx";
import { useSubmit } from "../actions/use-submit.ts";
import { useEntity, useStoryDetail } from "../live/hooks.ts";
import { Button } from "../parts/button.tsx";
import { Loading } from "../parts/layout.tsx";
import { FieldInputs } from "./field-inputs.tsx";
import { changesBetween, textsOf } from "./fields.ts";

interface ChangeProps {
  readonly kind: DefinitionKind;
  /** A task's is `<story>/<task>`. */
  readonly id: string;
  readonly perform: Perform;
  readonly onDone: () => void;
}

export function ChangeForm(props: ChangeProps) {
  return props.kind === "epic" ? <ChangeEpic {...props} /> : <ChangeWork {...props} />;
}

function ChangeEpic(props: ChangeProps) {
  const epic = useEntity("epics", props.id);
  return epic === undefined ? <Loading what="the epic" /> : <Inputs {...props} values={epic} />;
}

function ChangeWork(props: ChangeProps) {
  const [storyId = "", taskId] = props.id.split("/");
  const card = useEntity("stories", storyId);
  const { value: detail, error } = useStoryDetail(storyId);
  if (error !== undefined) return <p className="text-sm">{error}</p>;
  if (detail === undefined || card === undefined) return <Loading what="the story" />;
  const { labels, priority } = card;
  const values =
    taskId === undefined
      ? { ...detail, labels, priority }
      : detail.tasks.find(({ id }) => id === taskId);
  return values === undefined ? (
    <p className="text-sm">The task no longer exists.</p>
  ) : (
    <Inputs {...props} values={values} />
  );
}

function Inputs({ kind, id, values, perform, onDone }: ChangeProps & { values: object }) {
  // As they were when the form opened: what others change meanwhile is not overwritten.
  const [before] = useState(() => textsOf(kind, values));
  const [texts, setTexts] = useState(before);
  const { isBusy, error, submit } = useSubmit(perform, onDone);
  const set = changesBetween(kind, before, texts);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void submit({ act: "edit", kind, id, set });
      }}
    >
      <FieldInputs kind={kind} texts={texts} onChange={setTexts} />
      <FormError error={error} />
      <div className="mt-4 flex justify-end gap-2">
        <Button onClick={onDone}>Cancel</Button>
        <Button type="submit" look="main" isBusy={isBusy} disabled={set.length === 0}>
          Save
        </Button>
      </div>
    </form>
  );
}
