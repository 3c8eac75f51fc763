// Changes fields of a story, a task or an epic.

import { useState } from "react";
import type { DefinitionKind } from "../../protocol/actions.ts";
import { ActionForm, type FormProps } from "../actions/forms/action-form.tsx";
import { useEntity, useStoryDetail } from "../live/hooks.ts";
import { Loading } from "../parts/layout.tsx";
import { FieldInputs } from "./field-inputs.tsx";
import { changesBetween, textsOf } from "./fields.ts";

interface ChangeProps extends FormProps {
  readonly kind: DefinitionKind;
  /** A task's is `<story>/<task>`. */
  readonly id: string;
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

function Inputs({ kind, id, values, ...form }: ChangeProps & { values: object }) {
  // As they were when the form opened: what others change meanwhile is not overwritten.
  const [before] = useState(() => textsOf(kind, values));
  const [texts, setTexts] = useState(before);
  const set = changesBetween(kind, before, texts);
  return (
    <ActionForm {...form} word="Save" act={{ act: "edit", kind, id, set }} isReady={set.length > 0}>
      <FieldInputs kind={kind} texts={texts} onChange={setTexts} />
    </ActionForm>
  );
}
