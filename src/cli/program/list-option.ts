// Options that take several ids, labels or globs: separated by spaces, by commas, or given more than once.

import { InvalidArgumentError, Option } from "commander";

/** The values of a list. A comma inside of braces belongs to a glob (`src/{a,b}.ts`). */
export function splitList(text: string): string[] {
  const parts: string[] = [];
  let [depth, begin] = [0, 0];
  for (let at = 0; at < text.length; at++) {
    if (text[at] === "{") depth++;
    else if (text[at] === "}") depth = Math.max(0, depth - 1);
    else if (text[at] === "," && depth === 0) {
      parts.push(text.slice(begin, at));
      begin = at + 1;
    }
  }
  return [...parts, text.slice(begin)].map((part) => part.trim()).filter((part) => part !== "");
}

/** `--label <labels...>`; with choices, every value is one of them. */
export const listOption = (flags: string, about: string, choices?: readonly string[]): Option => {
  const option = new Option(flags, about);
  if (choices) option.choices(choices);
  return option.argParser((text: string, before: unknown) => {
    const values = splitList(text);
    const other = choices && values.find((value) => !choices.includes(value));
    if (other !== undefined) {
      throw new InvalidArgumentError(`Allowed choices are ${choices?.join(", ") ?? ""}.`);
    }
    return [...(Array.isArray(before) ? (before as string[]) : []), ...values];
  });
};
