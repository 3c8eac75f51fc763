import { expect, it } from "vitest";
import { newClones } from "../../../test/support/clones.ts";
import { readSharedEpics, shareEpic, unshareEpic } from "./shared-epics.ts";

it("tells every clone which epics the fleet works on", async () => {
  const { ann, bob } = await newClones();
  await shareEpic(ann.repository, { epicId: "shop", merge: true, budgetUsd: 2.5 });
  await shareEpic(ann.repository, { epicId: "blog", merge: true });
  await shareEpic(ann.repository, { epicId: "blog", merge: false });
  expect(await readSharedEpics(bob.repository)).toEqual([
    { epicId: "blog", merge: false },
    { epicId: "shop", merge: true, budgetUsd: 2.5 },
  ]);
  await unshareEpic(bob.repository, "shop");
  await unshareEpic(bob.repository, "shop");
  expect(await readSharedEpics(ann.repository)).toEqual([{ epicId: "blog", merge: false }]);
});

it("ignores a ref whose name is not the id of an epic", async () => {
  const { ann } = await newClones();
  ann.git("push", "--quiet", "origin", "HEAD:refs/saga/fleet/Not;an-id");
  expect(await readSharedEpics(ann.repository)).toEqual([]);
});
