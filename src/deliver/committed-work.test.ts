import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { newRepository, prepare, STORY } from "../../test/support/repository.ts";
import { openStore } from "../store/file-store.ts";
import { findCommittedWork } from "./committed-work.ts";

it("commits an edit of the story's files, and nothing if there is none", async () => {
  const test = newRepository();
  const { folder } = await prepare(test);
  const context = { store: openStore(test.path), env: test.env, now: Date.now };
  const first = await findCommittedWork(context, STORY);
  writeFileSync(join(folder, "draft.txt"), "not a file of the story\n");
  expect((await findCommittedWork(context, STORY)).range.commit).toBe(first.range.commit);
  writeFileSync(join(folder, `.saga/stories/${STORY}/journal.md`), "# A note\n");
  const edited = await findCommittedWork(context, STORY);
  expect(edited.range.commit).not.toBe(first.range.commit);
  expect(test.git("rev-parse", `story/${STORY}`)).toBe(edited.range.commit);
});
