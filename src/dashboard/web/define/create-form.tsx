// Creates a story, a task or an epic. The id follows the title until a person types one.

import { useState } from "react";
import { idProblem, storyIdProblem } from "../../../story/definition/names.ts";
import type { DefinitionAction, DefinitionKind } from "../../protocol/definition-actions.ts";
import { useActions } from "../actions/action-provider.tsx";
import type { Perform } from "../actions/action-dialog.tsx";
import { FormError } from "../actions/form-error.tsx";
import { useSubmit } from "../actions/use-submit.ts";
import { useDerived } from "../live/hooks.ts";
import { Button } from "../parts/button.tsx";
import { Select, TextField } from "../parts/field.tsx";
import { FieldInputs } from "./field-inputs.tsx";
import { slugOf, valuesIn, type FieldTexts } from "./fields.ts";

interface CreateProps {
  readonly kind: DefinitionKind;
  /** The epic of a new story, or the story of a new task. */
  readonly of?: string | undefined;
  readonly perform: Perform;
  readonly onDone: () => void;
}

export function CreateForm({ kind, of, perform, onDone }: CreateProps) {
  const [texts, setTexts] = useState<FieldTexts>({});
  const [typedId, setTypedId] = useState<string>();
  const [epic, setEpic] = useState(kind === "story" ? (of ?? "") : "");
  const actions = useActions();
  const { isBusy, error, submit } = useSubmit(perform, onDone);
  const name = texts[kind === "task" ? "subject" : "title"] ?? "";
  const id = typedId ?? slugOf(name);
  const problem = kind === "story" ? storyIdProblem(id) : idProblem(kind, id);
  const action = {
    act: `new-${kind}`,
    id,
    ...valuesIn(kind, texts),
    ...(kind === "task" && { story: of }),
    ...(kind === "story" && epic !== "" && { epic }),
  } as DefinitionAction;
  const isReady = problem === undefined && (texts["description"] ?? "").trim() !== "";
  // The result of the start is a toast: the story exists by then, and the form is closed.
  const createAndStart = (): Promise<void> =>
    submit(
      action,
      ({ json }) => void actions.perform({ act: "run", story: createdId(json) ?? id }),
    );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void submit(action);
      }}
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
      <FormError error={error} />
      <div className="mt-4 flex flex-wrap justify-end gap-2">
        <Button onClick={onDone}>Cancel</Button>
        {kind === "story" && (
          <Button isBusy={isBusy} disabled={!isReady} onClick={() => void createAndStart()}>
            Create and start
          </Button>
        )}
        <Button type="submit" look="main" isBusy={isBusy} disabled={!isReady}>
          Create
        </Button>
      </div>
    </form>
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
