// The parts of the process that a command may use. Passed in, so tests can replace them.

import type { Choose } from "../pick/choose.ts";

/** The abort reason of `untilStopped` for SIGTERM and SIGHUP. Ctrl-C aborts without a reason. */
export const TERMINATED = "terminated";

export interface Io {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The command that starts Saga again: Node and the file. */
  readonly program: readonly string[];
  /** Whether stdin and stdout are a terminal, so a person can be asked. */
  readonly isTerminal: boolean;
  /** The terminal's width; undefined when stdout is not a terminal. */
  readonly columns?: number | undefined;
  /** Its height. */
  readonly rows?: number | undefined;
  readonly hasColour: boolean;
  /** The same for stderr. */
  readonly hasErrorColour: boolean;
  readonly writeOut: (text: string) => void;
  readonly writeError: (text: string) => void;
  /** All of stdin; empty when it is a terminal. */
  readonly readInput: () => Promise<string>;
  /** One line from the person at the terminal; empty after Ctrl-C or Ctrl-D. */
  readonly ask: (question: string) => Promise<string>;
  /** Replaces the picker, in tests. */
  readonly choose?: Choose | undefined;
  /** Aborts on SIGINT, SIGTERM and SIGHUP. Calling it replaces their default action, so the caller must exit then. */
  readonly untilStopped: () => AbortSignal;
  /** From now on, a closed stdout does not end the process, and an uncaught error only aborts `untilStopped`. */
  readonly continueOnError: () => void;
}

/** For a question that ends with `[y/N]`. */
export const isYes = (answer: string): boolean => /^y(?:es)?$/i.test(answer.trim());
