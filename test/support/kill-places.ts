// Where a test kills what it tests: `npm run torture` at every place, `npm test` at a few.

export const isTorture = process.env["SAGA_TORTURE"] === "full";

/** Of the places 1 to `count`: all, or a few that are evenly spread, with the first and the last. */
export function killPlaces(count: number, few: number): number[] {
  if (isTorture || count <= few) return Array.from({ length: count }, (_, at) => at + 1);
  return Array.from({ length: few }, (_, at) => 1 + Math.round((at * (count - 1)) / (few - 1)));
}
