import { expect, it } from "vitest";
import { newClones } from "../../../test/support/clones.ts";
import {
  newestShared,
  sharedSnapshotRef,
  sharedSnapshots,
  snapshotOf,
} from "./shared-snapshots.ts";

const COMMIT = "a".repeat(40);
const owner = { storyId: "add-login", fence: 12, machine: "build-3" };

it("names a snapshot so that its name can be read back", () => {
  const ref = sharedSnapshotRef(owner, 4);
  expect(ref).toBe("refs/saga/keep/add-login/12-build-3-4");
  expect(snapshotOf(ref, COMMIT)).toEqual({
    ref,
    commit: COMMIT,
    fence: 12,
    machine: "build-3",
    number: 4,
  });
});

it.each(["refs/saga/keep/add-login/4", "refs/saga/keep/add-login/x-ann-1", "refs/heads/1-a-1b"])(
  "ignores %s, which no member wrote",
  (ref) => {
    expect(snapshotOf(ref, COMMIT)).toBeUndefined();
  },
);

it("counts the fence before the number", () => {
  const found = ["2-ann-9", "10-bob-1", "10-bob-2"].flatMap(
    (name) => snapshotOf(`refs/saga/keep/x/${name}`, COMMIT) ?? [],
  );
  expect(newestShared(found)?.ref).toBe("refs/saga/keep/x/10-bob-2");
  expect(newestShared([])).toBeUndefined();
});

it("finds them at the remote", async () => {
  const { ann, bob } = await newClones();
  const commit = ann.git("rev-parse", "HEAD");
  ann.git("push", "--quiet", "origin", `${commit}:${sharedSnapshotRef(owner, 1)}`);
  expect(await sharedSnapshots(bob.repository, "add-login")).toMatchObject([{ commit, fence: 12 }]);
  expect(await sharedSnapshots(bob.repository, "add")).toEqual([]);
});
