import { useState } from "react";
import { TextArea, TextField } from "../../parts/field.tsx";
import { ActionForm, type FormProps } from "./action-form.tsx";

const DEFAULT_PRIORITY = 3;

export function AddTaskForm(form: FormProps) {
  const [subject, setSubject] = useState("");
  const [description, setDescription] = useState("");
  const [label, setLabel] = useState("");
  const [priority, setPriority] = useState(DEFAULT_PRIORITY);
  return (
    <ActionForm
      {...form}
      word="Add"
      isReady={subject.trim() !== ""}
      act={{
        act: "task-add",
        subject: subject.trim(),
        priority,
        ...(description.trim() !== "" && { description: description.trim() }),
        ...(label.trim() !== "" && { label: label.trim() }),
      }}
    >
      <div className="space-y-3">
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
      </div>
    </ActionForm>
  );
}
