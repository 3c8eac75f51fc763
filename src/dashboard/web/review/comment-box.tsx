import { useEffect, useId, useRef, useState } from "react";
import { Button } from "../parts/button.tsx";
import { TextArea, TextField } from "../parts/field.tsx";
import type { ReviewComment } from "./review-notes.ts";

/** A comment that is being written. Without a line, a person may type one. */
export function CommentForm({
  label,
  hasLine,
  onAdd,
  onCancel,
}: {
  label: string;
  hasLine: boolean;
  onAdd: (text: string, line: number | undefined) => void;
  onCancel: () => void;
}) {
  const ref = useRef<HTMLFormElement>(null);
  const [text, setText] = useState("");
  const [line, setLine] = useState("");
  useEffect(() => ref.current?.querySelector("textarea")?.focus(), []);
  const add = (): void => {
    if (text.trim() !== "") onAdd(text.trim(), line === "" ? undefined : Number(line));
  };
  return (
    <form
      ref={ref}
      onSubmit={(event) => {
        event.preventDefault();
        add();
      }}
      className="border-y border-line bg-sunken px-4 py-3 font-sans text-sm whitespace-normal"
    >
      <TextArea
        label={label}
        rows={2}
        value={text}
        placeholder="What should change here?"
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") onCancel();
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) add();
        }}
        className="min-h-14 max-w-2xl"
      />
      <div className="mt-2 flex max-w-2xl flex-wrap items-end justify-end gap-2">
        {!hasLine && (
          <TextField
            label="Line (optional)"
            type="number"
            min={1}
            value={line}
            onChange={(event) => setLine(event.target.value)}
            className="mr-auto w-28"
          />
        )}
        <Button onClick={onCancel}>Cancel</Button>
        <Button type="submit" look="main" disabled={text.trim() === ""}>
          Add comment
        </Button>
      </div>
    </form>
  );
}

export function CommentCard({
  comment,
  onRemove,
}: {
  comment: ReviewComment;
  onRemove: () => void;
}) {
  const id = useId();
  const { file, line, text } = comment;
  const place = line === undefined ? file : `${file}:${line}`;
  return (
    <div className="border-y border-line bg-accent-wash px-4 py-2.5 font-sans text-sm whitespace-normal">
      <div className="flex max-w-2xl items-start gap-3">
        <div className="min-w-0 flex-1">
          <p id={id} className="font-mono text-xs break-all text-soft">
            {place}
          </p>
          <p className="mt-0.5 whitespace-pre-wrap">{text}</p>
        </div>
        <Button look="quiet" className="h-7 text-xs" aria-describedby={id} onClick={onRemove}>
          Remove
        </Button>
      </div>
    </div>
  );
}
