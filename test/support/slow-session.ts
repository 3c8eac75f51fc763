// A story in a session of its own whose agent stays in its first command.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { STORY, type Stage } from "./stage.ts";

/** What a shell plainly writes outside of the worktree is refused; what a program writes is not seen. */
export const outside = (file: string, value: string): string =>
  `node -e 'fs.writeFileSync("../${file}", ${value})'`;

export const SLOW = {
  form: [{ run: `${outside("shell.pid", "`${process.ppid}`")}; while :; do sleep 0.1; done` }],
} as const;

export const isInShell = (stage: Stage) => (): boolean =>
  existsSync(join(stage.worktree, "..", "shell.pid"));

export const hasEnded = async (stage: Stage): Promise<boolean> =>
  (await stage.store.listRuns(STORY))[0]?.endedAt !== undefined;

export async function start(stage: Stage): Promise<{ session: string; outputFile: string }> {
  const started = await stage.run("run", STORY, "--json");
  expect(started.exitCode, started.stderr).toBe(0);
  return JSON.parse(started.stdout) as { session: string; outputFile: string };
}
