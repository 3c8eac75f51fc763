// A line with colours, as parts that each look the same.

/**
 * @typedef {{ readonly colour: string | undefined, readonly isBold: boolean, readonly isDim: boolean }} Look
 * @typedef {Look & { readonly column: number, readonly text: string }} Part
 */

const NAMES = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];

/** @type {Look} */
const PLAIN = { colour: undefined, isBold: false, isDim: false };

/** @param {string} line @returns {Part[]} */
export function partsOf(line) {
  /** @type {Part[]} */
  const parts = [];
  let look = PLAIN;
  let column = 0;
  // oxlint-disable-next-line no-control-regex -- terminal escapes
  for (const piece of line.split(/(\u001b\[[\d;]*m)/)) {
    // oxlint-disable-next-line no-control-regex -- the same
    const codes = /^\u001b\[(?<codes>[\d;]*)m$/.exec(piece)?.groups?.["codes"];
    if (codes !== undefined) {
      look = codes.split(";").map(Number).reduce(changed, look);
      continue;
    }
    for (const { 0: text, index } of piece.matchAll(/\S+(?: \S+)*/g)) {
      parts.push({ ...look, column: column + Array.from(piece.slice(0, index)).length, text });
    }
    column += Array.from(piece).length;
  }
  return parts;
}

/** @param {Look} look @param {number} code @returns {Look} */
function changed(look, code) {
  if (code === 0) return PLAIN;
  if (code === 1) return { ...look, isBold: true };
  if (code === 2) return { ...look, isDim: true };
  if (code === 22) return { ...look, isBold: false, isDim: false };
  if (code === 39) return { ...look, colour: undefined };
  const colour = NAMES[code >= 90 ? code - 90 : code - 30];
  return colour === undefined ? look : { ...look, colour };
}
