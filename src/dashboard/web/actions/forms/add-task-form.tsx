import { useState } from "react";
import { Button } from "../../parts/button.tsx";
import { TextArea, TextField } from "../../parts/field.tsx";
import type { Perform } from "../action-dialog.tsx";
import { FormError } from "../form-error.tsx";
import { useSubmit } from "../use-submit.ts";

const DEFAULT_PRIORITY = 3;

export function AddTaskForm({ perform, onDone }: { perform: Perform; onDone: () => void }) {
  const [subject, setSubject] = useState("");
  const [description, setDescription] = useState("");
  const [label, setLabel] = useState("");
  const [priority, setPriority] = useState(DEFAULT_PRIORITY);
  const { isBusy, error, submit } = useSubmit(perform, onDone);
  return (
    <form
      className="space-y-3"
      onSubmit={(event) => {
        event.preventDefault();
        void submit({
          act: "task-add",
          subject: subject.trim(),
          priority,
          ...(description.trim() !== "" && { description: description.trim() }),
          ...(label.trim() !== "" && { label: label.trim() }),
        });
      }}
    >
      <TextField
        label="What should be done?"
        required
        value={subject}
        onChange={(event) => setSubject(event.target.value)}
      />
      <TextArea
        label="Description"
        rows={3}
        value={description}
        onChange={(event) => setDescription(event.target.value)}
      />
      <div className="flex gap-3">
        <TextField
          label="Label"
          className="flex-1"
          value={label}
          onChange={(event) => setLabel(event.target.value)}
        />
        <TextField
          label="Priority (0 = most urgent)"
          type="number"
          min={0}
          max={4}
          className="w-36"
          value={priority}
          onChange={(event) => setPriority(Number(event.target.value))}
        />
      </div>
      <FormError error={error} />
      <div className="flex justify-end gap-2 pt-1">
        <Button onClick={onDone}>Cancel</Button>
        <Button type="submit" look="main" isBusy={isBusy} disabled={subject.trim() === ""}>
          Add
        </Button>
      </div>
    </form>
  );
}
