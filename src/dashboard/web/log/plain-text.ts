// Removes terminal control sequences from program output: colours, titles, cursor moves.

const ESCAPES = new RegExp(
  [
    // Operating system commands (titles, links) and similar strings, up to their end.
    "\\u001B[\\]PX^_][\\s\\S]*?(?:\\u0007|\\u001B\\\\|$)",
    // Control sequences: colours, cursor, erase.
    "(?:\\u001B\\[|\\u009B)[0-?]*[ -/]*[@-~]",
    // Two-character sequences.
    "\\u001B[ -/]*[0-~]",
    // Other control characters except tab and newline, and marks that change the text direction.
    "[\\u0000-\\u0008\\u000B-\\u001F\\u007F-\\u009F\\u200E\\u200F\\u202A-\\u202E\\u2066-\\u2069]",
  ].join("|"),
  "g",
);

export const plainText = (text: string): string => text.replaceAll(ESCAPES, "");
