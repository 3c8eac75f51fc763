// A text as one word of a shell command. For what a person is told to type, and for the one program that takes
// nothing but such commands; Saga itself runs programs with arrays of arguments (`run.ts`).

/** As it is where every shell reads it so. zsh takes a word that begins with `=` for the path of a program. */
export const shellWord = (text: string): string =>
  /^[\w./@+-]+$/.test(text) ? text : shellQuote(text);

/** Between single quotes a shell reads everything as it stands, but for the quote itself. */
export const shellQuote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
