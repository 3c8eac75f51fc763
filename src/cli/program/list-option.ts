// Options that take several ids, labels or globs: separated by spaces or commas, or by repeating the option.

import { InvalidArgumentError, Option } from "commander";

/** Splits at commas, except inside braces: those belong to a glob (`src/{a,b}.ts`). */
export function splitList(text: string): string[] {
  const parts: string[] = [];
  let [depth, start] = [0, 0];
  for (let at = 0; at < text.length; at++) {
    if (text[at] === "{") depth++;
    else if (text[at] === "}") depth = Math.max(0, depth - 1);
    else if (text[at] === "," && depth === 0) {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  return [...parts, text.slice(start)].map((part) => part.trim()).filter((part) => part !== "");
}

/** `--label <labels...>`; with choices, every value must be one of them. */
export const listOption = (flags: string, about: string, choices?: readonly string[]): Option => {
  const option = new Option(flags, about);
  if (choices) option.choices(choices);
  return option.argParser((text: string, before: unknown) => {
    const values = splitList(text);
    const other = choices && values.find((value) => !choices.includes(value));
    if (other !== undefined) {
      throw new InvalidArgumentError(`Use one of: ${choices?.join(", ") ?? ""}.`);
    }
    return [...(Array.isArray(before) ? (before as string[]) : []), ...values];
  });
};
