// The lines that name files which a list could not read.

import type { Overview } from "../../store/views/overview.ts";
import { count } from "../../text/plural.ts";
import { plain, type Paint } from "./terminal.ts";

export function unreadableLines({ problems }: Pick<Overview, "problems">, paint: Paint): string[] {
  const files = new Set(problems.map((problem) => problem.file)).size;
  if (files === 0) return [];
  const what = `Not shown: ${count(files, "invalid file")}. \`saga validate\` explains each:`;
  const names = new Set(problems.map(({ file }) => file.split("/.saga/").at(-1) ?? file));
  return [paint("yellow", what), ...[...names].map((name) => `  ${plain(name)}`)];
}
