import { readTextIfThere } from "../../machine/files/files.ts";
import { oneLine } from "../../text/one-line.ts";

const MOST = 500;

/** The end of what a session has printed, as one line: why it ended, most likely. */
export const lastWords = (outputFile: string): string =>
  oneLine(readTextIfThere(outputFile) ?? "").slice(-MOST);
