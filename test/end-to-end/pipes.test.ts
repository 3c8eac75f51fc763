// A pipe in the place of a file that Saga reads: opening it would wait for a writer who never comes.

import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { aTask } from "../support/project.ts";
import type { Ended } from "../support/programs.ts";
import { newStage, STORY, type Stage } from "../support/stage.ts";

function putPipe(stage: Stage, path: string): void {
  rmSync(join(stage.path, path), { force: true });
  execFileSync("mkfifo", [join(stage.path, path)]);
}

/** Ends it where it hangs. */
const run = (stage: Stage, ...words: string[]): Promise<Ended> =>
  stage.runWith(
    { onStart: (child) => void setTimeout(() => child.kill("SIGKILL"), 60_000).unref() },
    ...words,
  );

const STORY_FOLDER = `.saga/stories/${STORY}`;

describe("a pipe", () => {
  it("that should be copied into worktrees is skipped, and the story is done", async () => {
    const stage = await newStage({
      tasks: [aTask("form")],
      config: '[worktree]\ncopy = [".env"]\n',
    });
    putPipe(stage, ".env");
    const ended = await run(stage, "run", STORY, "--foreground");
    expect(ended, ended.stderr).toMatchObject({ exitCode: 0, signal: null });
    expect(ended.stdout).toContain(".env was not copied: it is not a regular file or a folder.");
  });

  it.each([
    [".saga/config.toml", ["run", STORY, "--foreground"]],
    [`${STORY_FOLDER}/story.json`, ["validate"]],
    [`${STORY_FOLDER}/form.json`, ["validate"]],
    [`${STORY_FOLDER}/form.json`, ["run", STORY, "--foreground"]],
    [`${STORY_FOLDER}/journal.md`, ["journal", STORY]],
  ])("in place of %s is reported by saga %j", async (path, words) => {
    const stage = await newStage({ tasks: [aTask("form")] });
    putPipe(stage, path);
    const ended = await run(stage, ...words);
    expect(ended.signal).toBe(null);
    expect(`${ended.stdout}${ended.stderr}`).toContain("is not a regular file");
  });
});
