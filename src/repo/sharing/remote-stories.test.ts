import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { newClones, type Clone } from "../../../test/support/clones.ts";
import { placeIn, prepare, STORY } from "../../../test/support/repository.ts";
import { snapshotChanges } from "../snapshots/snapshot.ts";
import { takeFence } from "./lease-ref.ts";
import { readRemoteStories, storyFilesIn } from "./remote-stories.ts";
import { sharedSnapshotRef } from "./shared-snapshots.ts";

const OWNER = { storyId: STORY, fence: 4, machine: "ann" };
const JOURNAL = `.saga/stories/${STORY}/journal.md`;

const tipOf = (clone: Clone): string => clone.git("rev-parse", `story/${STORY}`);

it("names the owner and the newest files of a story: committed, and then not committed", async () => {
  const { ann, bob } = await newClones();
  await prepare(ann);
  const fence = await takeFence(
    ann.repository,
    { ...OWNER, isMine: async () => true },
    () => undefined,
  );
  const read = () => readRemoteStories(bob.repository, "main");
  expect((await read()).stories).toEqual([]);
  await fence.push([`${tipOf(ann)}:refs/heads/story/${STORY}`]);
  expect(await read()).toEqual({
    stories: [{ ...OWNER, commit: tipOf(ann) }],
    discards: [],
    targets: new Map([["main", ann.git("rev-parse", "main")]]),
  });

  writeFileSync(join(placeIn(ann), JOURNAL), "half\n");
  const git = ann.repository.git.at(placeIn(ann));
  const saved = await snapshotChanges({ git, storyId: STORY, why: "check-in", exclude: [] });
  await fence.push([`${saved?.commit}:${sharedSnapshotRef(OWNER, 1)}`]);
  const [snapshot] = (await read()).stories;
  expect(snapshot?.commit).toBe(saved?.commit);
  const files = await storyFilesIn(bob.repository, snapshot?.commit ?? "", STORY);
  expect(files.get("journal.md")).toBe("half\n");
  expect(files.get("story.json")).toContain(STORY);

  // Commits that follow are newer than the snapshot.
  ann.gitIn(placeIn(ann), "add", "--all");
  ann.gitIn(placeIn(ann), "commit", "--quiet", "--message=more");
  await fence.push([`${tipOf(ann)}:refs/heads/story/${STORY}`]);
  expect((await read()).stories).toEqual([{ ...OWNER, commit: tipOf(ann) }]);
});

it("takes only files of a story from a branch, and no owner from a ref that no Saga wrote", async () => {
  const { ann, bob } = await newClones();
  await prepare(ann);
  const folder = join(placeIn(ann), `.saga/stories/${STORY}`);
  for (const name of ["run.sh", "Upper.json", ".hidden.json"]) {
    writeFileSync(join(folder, name), "x");
  }
  ann.gitIn(placeIn(ann), "add", "--all", "--force");
  ann.gitIn(placeIn(ann), "commit", "--quiet", "--message=odd");
  const branch = `story/${STORY}`;
  ann.git("push", "--quiet", "origin", branch, `${branch}:refs/saga/lease/${STORY}`);
  expect((await readRemoteStories(bob.repository, "main")).stories).toEqual([]);
  const names = [...(await storyFilesIn(bob.repository, tipOf(ann), STORY)).keys()];
  expect(names).toContain("story.json");
  for (const name of names) expect(name).toMatch(/^[a-z0-9-]+\.json$|^journal\.md$/);
});

it("fails if the remote cannot be asked", async () => {
  const { ann } = await newClones();
  ann.git("remote", "set-url", "origin", "/no/such/place");
  await expect(readRemoteStories(ann.repository, "main")).rejects.toThrow("could not be read");
});
