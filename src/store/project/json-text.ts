// Writes JSON in the formatting that a person gave it. Loads no package: hook scripts use it too.

export type Fields = Record<string, unknown>;

/** Indented like the text before or, without one, by two spaces. */
export function formatDocument(fields: Readonly<Fields>, before = ""): string {
  return `${JSON.stringify(fields, undefined, indentOf(before))}\n`;
}

export const indentOf = (text: string): string =>
  /^\{\r?\n(?<indent>[ \t]+)"/.exec(text)?.groups?.["indent"] ?? "  ";

/**
 * Sets one key of a non-empty object to a string and changes no other byte: values such as very large numbers do
 * not survive parsing. A key that is missing, or whose value is not a string, is added at the start.
 */
export function withText(text: string, key: string, value: string): string {
  const found = valueOf(text, JSON.stringify(key));
  if (found) return `${text.slice(0, found.from)}${JSON.stringify(value)}${text.slice(found.to)}`;
  const pair = `${JSON.stringify(key)}: ${JSON.stringify(value)},`;
  return text.replace(/\{(?<gap>\s*)/, (brace, gap: string) => `${brace}${pair}${gap || " "}`);
}

/** A string with its escapes, or one character of the structure. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]:,]/g;

/** Of duplicate keys the last one counts, as for every JSON reader. */
function valueOf(text: string, quotedKey: string): { from: number; to: number } | undefined {
  let found: { from: number; to: number } | undefined;
  let depth = 0;
  const before = ["", ""];
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (token === "{" || token === "[") depth++;
    else if (token === "}" || token === "]") depth--;
    const isValue = depth === 1 && before[1] === ":" && before[0] === quotedKey;
    if (isValue && token.startsWith('"')) found = { from: index, to: index + token.length };
    before.shift();
    before.push(token);
  }
  return found;
}
