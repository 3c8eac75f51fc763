import {
  useId,
  type InputHTMLAttributes,
  type TextareaHTMLAttributes,
  type ReactNode,
} from "react";

const SHAPE =
  "rounded-lg border border-edge bg-surface px-3 py-1.5 text-sm text-ink placeholder:text-faint focus-visible:outline-offset-0";
const BOX = `w-full ${SHAPE}`;

interface Labelled {
  readonly label: string;
  /** For screen readers only, if the placeholder says the same. */
  readonly isLabelHidden?: boolean;
}

export function TextArea({
  label,
  isLabelHidden = false,
  className = "",
  ...rest
}: Labelled & TextareaHTMLAttributes<HTMLTextAreaElement>) {
  const id = useId();
  return (
    <div className="min-w-0 flex-1">
      <Label id={id} label={label} isHidden={isLabelHidden} />
      <textarea
        {...rest}
        id={id}
        className={`${BOX} field-sizing-content block max-h-60 resize-y ${className}`}
      />
    </div>
  );
}

export function TextField({
  label,
  isLabelHidden = false,
  className = "",
  ...rest
}: Labelled & InputHTMLAttributes<HTMLInputElement>) {
  const id = useId();
  return (
    <div className={`min-w-0 ${className}`}>
      <Label id={id} label={label} isHidden={isLabelHidden} />
      <input {...rest} id={id} className={`${BOX} h-8`} />
    </div>
  );
}

/** Small, with its label beside it, to fit into a row of buttons. */
export function NumberField({
  label,
  value,
  onChange,
  ...rest
}: {
  readonly label: string;
  readonly value: number;
  readonly onChange: (value: number) => void;
  readonly min: number;
  readonly max: number;
}) {
  return (
    <label className="flex items-center gap-2 text-xs whitespace-nowrap text-soft">
      {label}
      <input
        {...rest}
        type="number"
        required
        value={Number.isNaN(value) ? "" : value}
        onChange={(event) => onChange(event.target.valueAsNumber)}
        className={`${SHAPE} figure h-8 w-16`}
      />
    </label>
  );
}

function Label({ id, label, isHidden }: { id: string; label: string; isHidden: boolean }) {
  return (
    <label
      htmlFor={id}
      className={isHidden ? "sr-only" : "mb-1 block text-xs font-medium text-soft"}
    >
      {label}
    </label>
  );
}
/** A select box with a label for screen readers: its value says what it is about. */
export function Select<T extends string>({
  label,
  value,
  options,
  onChange,
}: {
  label: string;
  value: T;
  options: readonly { readonly value: T; readonly word: string }[];
  onChange: (value: T) => void;
}) {
  return (
    <select
      aria-label={label}
      value={value}
      onChange={(event) => {
        const chosen = options.find((option) => option.value === event.target.value);
        if (chosen) onChange(chosen.value);
      }}
      className="h-8 rounded-lg border border-edge bg-surface px-2 text-sm"
    >
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.word}
        </option>
      ))}
    </select>
  );
}

export function CheckBox({
  label,
  title,
  value,
  onChange,
}: {
  label: string;
  title?: string;
  value: boolean;
  onChange: (value: boolean) => void;
}) {
  return (
    <label className="flex items-center gap-2 text-sm text-soft" title={title}>
      <input type="checkbox" checked={value} onChange={(event) => onChange(event.target.checked)} />
      {label}
    </label>
  );
}

interface Segment<T> {
  readonly value: T;
  readonly shown: ReactNode;
  /** For an icon. */
  readonly label?: string;
}

/** Buttons of which one is pressed. */
export function Segments<T extends string | number>({
  label,
  value,
  segments,
  className = "px-2.5 text-xs text-soft",
  onChange,
}: {
  label: string;
  value: T;
  segments: readonly Segment<T>[];
  className?: string;
  onChange: (value: T) => void;
}) {
  return (
    <div role="group" aria-label={label} className="flex rounded-lg bg-sunken p-0.5">
      {segments.map((one) => (
        <button
          key={one.value}
          type="button"
          aria-label={one.label}
          aria-pressed={one.value === value}
          onClick={() => onChange(one.value)}
          className={`inline-flex h-7 items-center justify-center rounded-md aria-pressed:bg-surface aria-pressed:text-ink aria-pressed:shadow-card ${className}`}
        >
          {one.shown}
        </button>
      ))}
    </div>
  );
}
