import { InvalidArgumentError } from "commander";

/** A Commander parser for whole numbers within bounds. */
export const wholeNumber =
  (least = 0, most = Number.POSITIVE_INFINITY) =>
  (text: string): number => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= least && value <= most) return value;
    throw new InvalidArgumentError(`It must be a whole number${boundsText(least, most)}.`);
  };

function boundsText(least: number, most: number): string {
  if (most !== Number.POSITIVE_INFINITY) return ` from ${least} to ${most}`;
  return least === 0 ? "" : `, ${least} or more`;
}
