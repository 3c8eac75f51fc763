// Creates a story, a task or an epic. The id follows the title until a person types one.

import { useState } from "react";
import { idProblem, storyIdProblem } from "../../../story/definition/names.ts";
import type { DefinitionKind, PageAction } from "../../protocol/actions.ts";
import { useActions } from "../actions/action-provider.tsx";
import { ActionForm, type FormProps } from "../actions/forms/action-form.tsx";
import { useDerived } from "../live/hooks.ts";
import { Select, TextField } from "../parts/field.tsx";
import { FieldInputs } from "./field-inputs.tsx";
import { slugOf, valuesIn, type FieldTexts } from "./fields.ts";

interface CreateProps extends FormProps {
  readonly kind: DefinitionKind;
  /** The epic of a new story, or the story of a new task. */
  readonly of?: string | undefined;
}

export function CreateForm({ kind, of, ...form }: CreateProps) {
  const [texts, setTexts] = useState<FieldTexts>({});
  const [typedId, setTypedId] = useState<string>();
  const [epic, setEpic] = useState(kind === "story" ? (of ?? "") : "");
  const actions = useActions();
  const name = texts[kind === "task" ? "subject" : "title"] ?? "";
  const id = typedId ?? slugOf(name);
  const problem = kind === "story" ? storyIdProblem(id) : idProblem(kind, id);
  const action = {
    act: `new-${kind}`,
    id,
    ...valuesIn(kind, texts),
    ...(kind === "task" && { story: of }),
    ...(kind === "story" && epic !== "" && { epic }),
  } as PageAction;
  const isReady = problem === undefined && (texts["description"] ?? "").trim() !== "";
  return (
    <ActionForm
      {...form}
      word="Create"
      act={action}
      other={
        kind === "story"
          ? {
              word: "Create and start",
              act: action,
              // A toast shows how the start went: the story exists by then, and the form is closed.
              onSuccess: ({ json }) =>
                void actions.perform({ act: "run", story: createdId(json) ?? id }),
            }
          : undefined
      }
      isReady={isReady}
    >
      <FieldInputs kind={kind} texts={texts} onChange={setTexts}>
        <div className="grid grid-cols-1 gap-3 sm:grid-cols-2">
          <div>
            <TextField
              label="Id"
              value={id}
              spellCheck={false}
              aria-invalid={id !== "" && problem !== undefined}
              onChange={(event) => setTypedId(event.target.value)}
            />
            {id !== "" && problem !== undefined && (
              <p className="mt-1 text-xs text-bad">The id {problem}.</p>
            )}
          </div>
          {kind === "story" && <EpicSelect value={epic} onChange={setEpic} />}
        </div>
      </FieldInputs>
    </ActionForm>
  );
}

/** In an epic, the command puts the epic's id in front. */
function createdId(json: unknown): string | undefined {
  const files = (json as { files?: readonly { kind?: string; id?: string }[] } | undefined)?.files;
  return files?.find(({ kind }) => kind === "story")?.id;
}

function EpicSelect({ value, onChange }: { value: string; onChange: (epic: string) => void }) {
  const epics = useDerived(
    ({ epics }) =>
      Object.values(epics)
        .filter(({ isLegacy }) => !isLegacy)
        .map(({ id, title }) => ({ value: id, word: title })),
    (one, other) => JSON.stringify(one) === JSON.stringify(other),
  );
  if (epics.length === 0) return null;
  return (
    <div>
      <span aria-hidden="true" className="mb-1 block text-xs font-medium text-soft">
        Epic
      </span>
      <Select
        label="Epic"
        value={value}
        options={[{ value: "", word: "None" }, ...epics]}
        onChange={onChange}
      />
    </div>
  );
}
