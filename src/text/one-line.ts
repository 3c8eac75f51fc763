// Text of others where one short line of it is shown: a notice, a terminal, a log.

/** Nothing in it breaks a line, moves a cursor, colours, or turns the reading direction. */
export const oneLine = (text: string): string =>
  text
    // oxlint-disable-next-line no-control-regex -- colours go as a whole, not only their first sign
    .replaceAll(/\u001b\[[0-?]*[ -/]*[@-~]/g, "")
    .replaceAll(/[\p{Cc}\p{Cs}\u061c\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]+/gu, " ")
    .replaceAll(/\s+/g, " ")
    .trim();

/** No character is cut in half. */
export const truncate = (text: string, max: number): string =>
  text.length <= max ? text : `${text.slice(0, max - 1).replace(/\p{Cs}$/u, "")}…`;
