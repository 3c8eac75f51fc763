// What a command may touch of its process. Passed in, so that every command runs the same in a test.

/** Why `untilStopped` has aborted, when no person has pressed Ctrl-C: the process was told to end. */
export const TOLD_TO_END = "told to end";

export interface Io {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** How to start Saga once more: Node and the file. */
  readonly program: readonly string[];
  /** Whether a person sits there: standard input and output are a terminal. */
  readonly isTerminal: boolean;
  /** How wide the terminal is; nothing when standard output is not one. */
  readonly columns?: number | undefined;
  readonly hasColour: boolean;
  /** The same for what goes to standard error. */
  readonly hasErrorColour: boolean;
  readonly writeOut: (text: string) => void;
  readonly writeError: (text: string) => void;
  /** All of standard input; nothing when it is a terminal. */
  readonly readInput: () => Promise<string>;
  /** One line from the person at the terminal; empty when they leave. */
  readonly ask: (question: string) => Promise<string>;
  /** Aborts when the process is asked to end, and says by its reason if a person did. Whoever asks for it promises to end in order. */
  readonly untilStopped: () => AbortSignal;
  /** From now on, output that nobody reads and faults that nobody caught end nothing. */
  readonly keepGoing: () => void;
}
