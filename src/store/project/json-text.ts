// JSON as a person left it. Only what is asked for is changed, and no package is needed for it: hook
// scripts write through here.

export type Fields = Record<string, unknown>;

/** As it is written: two spaces unless the file already has its own way. */
export function formatDocument(fields: Readonly<Fields>, before = ""): string {
  return `${JSON.stringify(fields, undefined, indentOf(before))}\n`;
}

export const indentOf = (text: string): string =>
  /^\{\r?\n(?<indent>[ \t]+)"/.exec(text)?.groups?.["indent"] ?? "  ";

/**
 * The text of an object that is not empty, with another text as the value of one of its own keys, and
 * not a byte changed besides: a very large number, say, cannot be read and written again. A key that
 * is not there, or holds something else than a text, comes to stand first.
 */
export function withText(text: string, key: string, value: string): string {
  const found = valueOf(text, JSON.stringify(key));
  if (found) return `${text.slice(0, found.from)}${JSON.stringify(value)}${text.slice(found.to)}`;
  const pair = `${JSON.stringify(key)}: ${JSON.stringify(value)},`;
  return text.replace(/\{(?<gap>\s*)/, (brace, gap: string) => `${brace}${pair}${gap || " "}`);
}

/** A string with its escapes, or one character of the structure. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]:,]/g;

/** Of a key that stands there twice the last counts, as it does for every reader. */
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
