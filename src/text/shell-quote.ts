// Text as one word of a shell command: for commands that people copy, and for programs that only take shell commands.
// Saga itself runs programs with arrays of arguments (`run.ts`).

/** Unquoted where that is safe in every shell. zsh reads a word that starts with `=` as the path of a program. */
export const shellWord = (text: string): string =>
  /^[\w./@+-]+$/.test(text) ? text : shellQuote(text);

/** Between single quotes only the quote itself is special. */
export const shellQuote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
