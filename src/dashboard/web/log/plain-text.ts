// What programs print holds orders for a terminal: colours, titles, cursor moves. A page shows the text.

const ESCAPES = new RegExp(
  [
    // Operating system commands (titles, links) up to their end, and other strings of that kind.
    "\\u001B[\\]PX^_][\\s\\S]*?(?:\\u0007|\\u001B\\\\|$)",
    // Control sequences: colours, cursor, erase.
    "(?:\\u001B\\[|\\u009B)[0-?]*[ -/]*[@-~]",
    // Two-character orders.
    "\\u001B[ -/]*[0-~]",
    // Every other control character but tab and newline, and marks that turn the direction of text.
    "[\\u0000-\\u0008\\u000B-\\u001F\\u007F-\\u009F\\u200E\\u200F\\u202A-\\u202E\\u2066-\\u2069]",
  ].join("|"),
  "g",
);

export const plainText = (text: string): string => text.replaceAll(ESCAPES, "");
