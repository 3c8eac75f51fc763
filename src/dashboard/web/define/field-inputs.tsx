// The inputs of a definition. Rare fields are behind a summary.

import { useEffect, useId, useRef, type ReactNode } from "react";
import type { DefinitionKind } from "../../protocol/actions.ts";
import { Disclosure } from "../parts/disclosure.tsx";
import { CheckBox, Select, TextArea, TextField } from "../parts/field.tsx";
import { FIELDS, type FieldSpec, type FieldTexts } from "./fields.ts";

export function FieldInputs({
  kind,
  texts,
  onChange,
  children,
}: {
  kind: DefinitionKind;
  texts: FieldTexts;
  onChange: (texts: FieldTexts) => void;
  /** Between the usual and the rare fields. */
  children?: ReactNode;
}) {
  const ref = useRef<HTMLDivElement>(null);
  // The form is loaded after its dialog opened, which gave the focus to the button that closes it.
  useEffect(() => ref.current?.querySelector("input")?.focus(), []);
  const input = (field: FieldSpec) => (
    <FieldInput
      key={field.name}
      field={field}
      value={texts[field.name] ?? ""}
      onChange={(text) => onChange({ ...texts, [field.name]: text })}
    />
  );
  const rare = FIELDS[kind].filter(({ isRare }) => isRare);
  return (
    <div ref={ref} className="space-y-3">
      {FIELDS[kind].filter(({ isRare }) => !isRare).map(input)}
      {children}
      {rare.length > 0 && (
        <Disclosure word="Checks, files and more">
          <div className="mt-3 grid grid-cols-1 gap-3 sm:grid-cols-2">{rare.map(input)}</div>
        </Disclosure>
      )}
    </div>
  );
}

function FieldInput({
  field: { word, kind, hint, name },
  value,
  onChange,
}: {
  field: FieldSpec;
  value: string;
  onChange: (text: string) => void;
}) {
  switch (kind) {
    case "line":
    case "list":
      return (
        <TextField
          label={kind === "list" ? `${word}, separated by commas` : word}
          placeholder={hint}
          required={kind === "line"}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      );
    case "text":
    case "lines":
      return (
        <TextArea
          label={kind === "lines" ? `${word}, one per line` : word}
          placeholder={hint}
          rows={name === "description" ? 4 : 2}
          required={name === "description"}
          value={value}
          onChange={(event) => onChange(event.target.value)}
          className={
            kind === "lines" ? "font-mono text-xs" : name === "description" ? "min-h-24" : ""
          }
        />
      );
    case "priority":
      return <PriorityInput word={word} value={value} onChange={onChange} />;
    case "flag":
      return (
        <CheckBox
          label={word}
          value={value !== ""}
          onChange={(isSet) => onChange(isSet ? "true" : "")}
        />
      );
  }
}

const PRIORITIES = [
  { value: "", word: "Default" },
  { value: "0", word: "0, most urgent" },
  { value: "1", word: "1" },
  { value: "2", word: "2" },
  { value: "3", word: "3" },
  { value: "4", word: "4, least urgent" },
] as const;

function PriorityInput({
  word,
  value,
  onChange,
}: {
  word: string;
  value: string;
  onChange: (text: string) => void;
}) {
  const id = useId();
  return (
    <div>
      <span id={id} className="mb-1 block text-xs font-medium text-soft">
        {word}
      </span>
      <Select
        label={word}
        value={PRIORITIES.find((one) => one.value === value)?.value ?? ""}
        options={PRIORITIES}
        onChange={onChange}
      />
    </div>
  );
}
