// What a command may touch of its process. Passed in, so that every command runs the same in a test.

export interface Io {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly hasColour: boolean;
  /** The same for what goes to standard error. */
  readonly hasErrorColour: boolean;
  readonly writeOut: (text: string) => void;
  readonly writeError: (text: string) => void;
  /** All of standard input; nothing when it is a terminal. */
  readonly readInput: () => Promise<string>;
}
