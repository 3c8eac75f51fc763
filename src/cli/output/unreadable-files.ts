// What a list says about the files that it could not read.

import type { Overview } from "../../store/views/overview.ts";
import { count } from "../../text/plural.ts";
import { plain, type Paint } from "./terminal.ts";

export function leftOut({ problems }: Pick<Overview, "problems">, paint: Paint): string[] {
  const files = new Set(problems.map((problem) => problem.file)).size;
  if (files === 0) return [];
  const what = `Left out because of ${count(files, "broken file")}; \`saga validate\` tells what is wrong:`;
  const names = new Set(problems.map(({ file }) => file.split("/.saga/").at(-1) ?? file));
  return [paint("yellow", what), ...[...names].map((name) => `  ${plain(name)}`)];
}
