// Text from elsewhere, made safe for one short line in a terminal, a log or a notification.

/** Removes line breaks, colours, control characters and changes of the reading direction. */
export const oneLine = (text: string): string =>
  text
    // oxlint-disable-next-line no-control-regex -- a colour is a whole sequence
    .replaceAll(/\u001b\[[0-?]*[ -/]*[@-~]/g, "")
    .replaceAll(/[\p{Cc}\p{Cs}\u061c\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]+/gu, " ")
    .replaceAll(/\s+/g, " ")
    .trim();

export const firstLine = (text: string): string => text.trim().split("\n")[0] ?? "";

/** Never cuts a character in half. */
export const truncate = (text: string, max: number): string =>
  text.length <= max ? text : `${text.slice(0, max - 1).replace(/\p{Cs}$/u, "")}…`;
