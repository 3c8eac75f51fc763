import { expect, it } from "vitest";
import { newClones } from "../../../test/support/clones.ts";
import { readSnapshots } from "../snapshots/snapshot.ts";
import { importSnapshot } from "./import-snapshot.ts";
import { sharedSnapshotRef, sharedSnapshots } from "./shared-snapshots.ts";

it("saves a snapshot of another machine once, beside those of this one", async () => {
  const { ann, bob } = await newClones();
  ann.git("commit", "--quiet", "--allow-empty", "--message=snapshot");
  const ref = sharedSnapshotRef({ storyId: "cart", fence: 1, machine: "ann" }, 1);
  ann.git("push", "--quiet", "origin", `HEAD:${ref}`);
  bob.git("update-ref", "refs/saga/keep/cart/4", "HEAD");
  const [snapshot] = await sharedSnapshots(bob.repository, "cart");
  if (snapshot === undefined) throw new Error("no snapshot");
  expect(await importSnapshot(bob.repository, "cart", snapshot)).toBe(5);
  expect(await importSnapshot(bob.repository, "cart", snapshot)).toBe(5);
  expect(await readSnapshots(bob.repository.git, "cart")).toHaveLength(2);
});
