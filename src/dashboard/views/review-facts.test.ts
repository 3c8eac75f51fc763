import { expect, it } from "vitest";
import { STORY } from "../../../test/support/repository.ts";
import { withWork } from "../../../test/support/story-with-work.ts";
import { openStore } from "../../store/file-store.ts";
import { readReviewFacts } from "./review-facts.ts";

it("reads a story's own changes from git, without Saga's files", async () => {
  const test = await withWork();
  const store = openStore(test.path);
  const context = { store, env: test.env, now: Date.now };
  const record = await store.readStory(STORY);
  const facts = await readReviewFacts(context, record, { epic: undefined, receipts: [] });
  expect(facts).toEqual({ weakened: [], risk: { level: "low", points: 0, reasons: [] } });
  test.write(".saga/config.toml", '[gate]\nprotected = ["*.txt"]\n');
  const guarded = await readReviewFacts(context, record, { epic: undefined, receipts: [] });
  expect(guarded?.risk).toMatchObject({
    level: "high",
    reasons: [{ kind: "protected", files: ["new file.txt"] }],
  });
});
