/** Undefined for text that is not JSON: empty, cut off by a crash, or something else. */
export function parseJson(text: string): unknown {
  // Most claims are released, and their files empty: an exception would cost more than this comparison.
  if (text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
