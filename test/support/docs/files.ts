// The files that a page's commands left behind, by their names in the reference.

import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Ground } from "../stage.ts";

export function filesOfSaga({ path, home, git }: Ground): string[] {
  const refs = git("for-each-ref", "--format=%(refname)", "refs/saga").split("\n").filter(Boolean);
  return [
    ...filesIn(join(path, ".saga"), ".saga"),
    ...filesIn(join(path, ".git/saga"), ".git/saga"),
    ...filesIn(join(home, "state/saga"), "state"),
    ...filesIn(join(home, "sessions"), "sessions"),
    ...filesIn(join(home, "claude/tasks"), "claude/tasks"),
    ...refs,
  ];
}

const filesIn = (folder: string, name: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder).flatMap((entry) =>
        // Through links too: tests share compiled code.
        statSync(join(folder, entry), { throwIfNoEntry: false })?.isDirectory()
          ? filesIn(join(folder, entry), `${name}/${entry}`)
          : [`${name}/${entry}`],
      )
    : [];
