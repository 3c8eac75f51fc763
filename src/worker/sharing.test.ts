import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { newClones } from "../../test/support/clones.ts";
import { defaults } from "../../test/support/default-settings.ts";
import { placeIn, prepare, STORY } from "../../test/support/repository.ts";
import { takeFence } from "../repo/sharing/lease-ref.ts";
import { findBase } from "../repo/repository.ts";
import { snapshotChanges, type Snapshot } from "../repo/snapshots/snapshot.ts";
import { openStore } from "../store/file-store.ts";
import type { PreparedWork } from "./context.ts";
import { startSharing } from "./sharing.ts";

const OWNER = { storyId: STORY, fence: 2, machine: "ann", isMine: async () => true };

async function newSharing() {
  const clones = await newClones();
  const { ann } = clones;
  await prepare(ann);
  const { repository } = ann;
  const warnings: string[] = [];
  let isTakenOver = false;
  const work = {
    owner: OWNER,
    fence: await takeFence(repository, OWNER, () => (isTakenOver = true)),
    isTakenOver: () => isTakenOver,
    repository,
    branch: `story/${STORY}`,
    base: await findBase(repository, undefined),
    request: { storyId: STORY },
    record: { redact: (text: string) => text, warn: (text: string) => warnings.push(text) },
    context: {
      store: openStore(ann.path),
      env: ann.env,
      now: Date.now,
      settings: defaults,
      stop: new AbortController().signal,
    },
  } as unknown as PreparedWork;
  const save = async (content: string): Promise<Snapshot> => {
    writeFileSync(join(placeIn(ann), "half.txt"), content);
    const git = repository.git.at(placeIn(ann));
    const saved = await snapshotChanges({ git, storyId: STORY, why: "test", exclude: [] });
    if (!saved) throw new Error("Nothing was saved.");
    return saved;
  };
  return { ...clones, work, sharing: startSharing(work), warnings, save };
}

it("pushes commits soon, and snapshots under a name of their own", async () => {
  const { ann, sharing, remoteRefs, save, warnings } = await newSharing();
  sharing.pushSoon();
  const tip = ann.git("rev-parse", `story/${STORY}`);
  await expect.poll(() => remoteRefs()[`refs/heads/story/${STORY}`]).toBe(tip);
  const saved = await save("half\n");
  await sharing.pushSnapshot(saved);
  expect(remoteRefs()[`refs/saga/keep/${STORY}/2-ann-1`]).toBe(saved.commit);
  await sharing.end();
  expect(warnings).toEqual([]);
});

it("pushes no snapshot with a secret in it", async () => {
  const { sharing, remoteRefs, save, warnings } = await newSharing();
  const token = `ghp_${"aB3dE6gH9jK2mN5pQ8sT1vW4".repeat(2).slice(0, 36)}`;
  await sharing.pushSnapshot(await save(`token = "${token}"\n`));
  expect(Object.keys(remoteRefs()).filter((ref) => ref.includes("/keep/"))).toEqual([]);
  expect(warnings.join()).toContain("Other machines cannot see the latest work yet");
  expect(warnings.join()).not.toContain(token);
});

it("pushes nothing after another machine has taken over, but the work continues", async () => {
  const { bob, sharing, remoteRefs, save, work } = await newSharing();
  await takeFence(bob.repository, { ...OWNER, fence: 3, machine: "bob" }, () => undefined);
  await sharing.pushSnapshot(await save("one\n"));
  expect(work.isTakenOver()).toBe(true);
  await sharing.pushSnapshot(await save("two\n"));
  expect(Object.keys(remoteRefs()).filter((ref) => ref.includes("/keep/"))).toEqual([]);
});

it("does nothing outside of a fleet", async () => {
  const { work, save, remoteRefs } = await newSharing();
  const before = remoteRefs();
  const sharing = startSharing({ ...work, owner: undefined });
  sharing.pushSoon();
  await sharing.pushSnapshot(await save("half\n"));
  await sharing.end();
  expect(remoteRefs()).toEqual(before);
});
