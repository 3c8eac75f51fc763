/** What a text says as JSON. Nothing when it is none: empty, cut off by a crash, or something else altogether. */
export function parseJson(text: string): unknown {
  // A claim that was given back is empty, and most are: an exception costs more than the question.
  if (text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
