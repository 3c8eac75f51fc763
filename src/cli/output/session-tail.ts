import { readTextIfThere } from "../../machine/files/files.ts";
import { oneLine } from "../../text/one-line.ts";

const MAX_CHARACTERS = 500;

/** The end of a session's output as one line; it usually says why the session ended. */
export const sessionTail = (outputFile: string): string =>
  oneLine(readTextIfThere(outputFile) ?? "").slice(-MAX_CHARACTERS);
