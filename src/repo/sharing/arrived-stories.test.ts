import { expect, it } from "vitest";
import { newClones, type Clone } from "../../../test/support/clones.ts";
import { aStory } from "../../../test/support/project.ts";
import { STORY } from "../../../test/support/repository.ts";
import { readDeliveries } from "../records/delivery-record.ts";
import { completedIn, completingCommit, recordMergeElsewhere } from "./arrived-stories.ts";

const FILE = `.saga/stories/${STORY}/story.json`;

function commitStory(clone: Clone, status: string): string {
  clone.write(FILE, aStory(STORY, { status }));
  clone.git("add", "--all");
  clone.git("commit", "--quiet", "--allow-empty", `--message=${status}`);
  return clone.git("rev-parse", "HEAD");
}

it("finds the stories that are completed in a commit", async () => {
  const { ann } = await newClones();
  const before = commitStory(ann, "in_progress");
  const after = commitStory(ann, "completed");
  const ids = ["no-such-story", STORY];
  expect(await completedIn(ann.repository, before, ids)).toEqual([]);
  expect(await completedIn(ann.repository, after, ids)).toEqual([STORY]);
});

it("records a merge of another machine, and keeps what this clone had of the story", async () => {
  const { ann, bob } = await newClones();
  bob.git("switch", "--quiet", "--create", `story/${STORY}`);
  const own = commitStory(bob, "in_progress");
  bob.git("switch", "--quiet", "main");
  const commit = commitStory(ann, "completed");
  ann.write("later.txt", "later");
  ann.git("add", "--all");
  ann.git("commit", "--quiet", "--message=later");
  ann.git("push", "--quiet", "origin", "main");
  bob.git("fetch", "--quiet", "origin");
  const tip = ann.git("rev-parse", "main");
  expect(await completingCommit(bob.repository, tip, STORY)).toBe(commit);
  const arrival = { storyId: STORY, target: "main", tip, commit };
  expect(await recordMergeElsewhere(bob.repository, arrival)).toBe("recorded");
  const { done } = await readDeliveries(bob.repository.git, STORY);
  expect(done).toMatchObject({ target: "main", tip: own, commit });
  expect(await recordMergeElsewhere(bob.repository, arrival)).toBe("recorded");
  expect((await readDeliveries(bob.repository.git, STORY)).done?.record).toBe(done?.record);
});

it("leaves a story alone that was reopened here", async () => {
  const { ann } = await newClones();
  const commit = commitStory(ann, "completed");
  ann.git("switch", "--quiet", "--create", `story/${STORY}`);
  commitStory(ann, "in_progress");
  const arrival = { storyId: STORY, target: "main", tip: commit, commit };
  expect(await recordMergeElsewhere(ann.repository, arrival)).toBe("newer-work-here");
  expect((await readDeliveries(ann.repository.git, STORY)).done).toBeUndefined();
});
