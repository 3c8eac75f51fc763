import type { PlacedWork } from "./work.ts";

/** Before the story's files are read or written: whatever the agent did to them is undone, and said. */
export function mended({ definition, record }: PlacedWork): void {
  const names = definition.mend();
  if (names.length > 0) record.warn(`Files of the story were put back: ${names.join(", ")}`);
}
