// Asks a person at the terminal to choose one of several things: arrow keys, or typing to narrow them down. The library is
// loaded only here, because almost no command asks.

import type { Readable, Writable } from "node:stream";
import type { Choice } from "./choices.ts";

export type Choose = (
  question: string,
  choices: readonly Choice[],
  terminal?: ChoiceTerminal,
) => Promise<string | undefined>;

export interface ChoiceTerminal {
  readonly input: Readable;
  readonly output: Writable;
}

const MAX_ROWS = 12;

/** Undefined after Escape or Ctrl-C. Asks on stderr: stdout is the product. */
export const choose: Choose = async (question, choices, terminal) => {
  const { autocomplete, isCancel } = await import("@clack/prompts");
  const chosen = await autocomplete({
    message: question,
    options: choices.map(({ value, about }) => ({ value, label: `${value}  ${about}` })),
    maxItems: MAX_ROWS,
    input: terminal?.input ?? process.stdin,
    output: terminal?.output ?? process.stderr,
  });
  return isCancel(chosen) ? undefined : chosen;
};
