export interface SentencePart {
  /** The offset of its first character, which identifies it. */
  readonly from: number;
  readonly text: string;
  readonly isCode: boolean;
}

/** Splits a text at `code`. A single backtick stays a backtick. */
export function partsOf(text: string): SentencePart[] {
  const parts: SentencePart[] = [];
  let end = 0;
  const add = (from: number, part: string, isCode: boolean): void => {
    if (part !== "") parts.push({ from, text: part, isCode });
  };
  for (const { 0: quoted, 1: code = "", index } of text.matchAll(/`([^`\n]+)`/g)) {
    add(end, text.slice(end, index), false);
    add(index, code, true);
    end = index + quoted.length;
  }
  add(end, text.slice(end), false);
  return parts;
}
