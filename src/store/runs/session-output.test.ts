import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { newFolder } from "../../../test/support/project.ts";
import { storySession } from "../../story/definition/names.ts";
import { runSchema } from "../../story/state/run.ts";
import { removeOutputs } from "./session-output.ts";

const SESSION = storySession("s", 1_700_000_000_000);

it.each([
  ["the file of its own session", SESSION, `${SESSION}.out`, false],
  ["no file that is named otherwise", SESSION, "notes.out", true],
  ["no file of another story's session", storySession("t", 1), `${storySession("t", 1)}.out`, true],
  ["nothing of a run without a session", undefined, `${SESSION}.out`, true],
])("removes %s", (_, session, name, isLeft) => {
  const folder = newFolder();
  folder.write(name, "It was said.\n");
  const outputFile = join(folder.path, name);
  const run = runSchema.parse({
    id: "20261115T214800123Z-1a2b",
    story: "s",
    startedAt: "2026-11-15T21:48:00.123Z",
    session,
    outputFile,
  });
  removeOutputs([run]);
  expect(existsSync(outputFile)).toBe(isLeft);
});
