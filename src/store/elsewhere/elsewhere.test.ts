import { expect, it } from "vitest";
import { aStory, newProject } from "../../../test/support/project.ts";
import { thisProcess } from "../../machine/processes/process-id.ts";
import { openStore } from "../file-store.ts";
import type { LeaseState } from "../leases/leases.ts";

it("what other machines have shows in this store, and not in what is of this machine alone", async () => {
  const project = newProject();
  project.write(".saga/stories/cart/story.json", aStory("cart"));
  const { elsewhere, leases, localLeases, queue, readStory } = openStore(project.path);
  await elsewhere.saveLeases([HELD]);
  const lane = { branch: "main", place: "remote" } as const;
  await elsewhere.saveLanes([{ lane, entries: [], now: undefined, history: [] }]);
  const files = new Map([["story.json", JSON.stringify(aStory("cart", { title: "On bob" }))]]);
  await elsewhere.saveCopy({ storyId: "cart", commit: "c1", files });

  expect(await leases.read(HELD.name)).toMatchObject({ record: { machine: "bob" } });
  expect(await localLeases.read(HELD.name)).toBeUndefined();
  expect(await queue.lanes()).toEqual([lane]);
  expect(await elsewhere.listCopies()).toEqual(new Map([["cart", "c1"]]));
  expect((await readStory("cart")).story.title).toBe("On bob");
  await elsewhere.removeCopy("cart");
  expect((await readStory("cart")).story.title).not.toBe("On bob");
});

const HELD: LeaseState = {
  name: "story.cart",
  fence: 4,
  life: "alive",
  record: {
    ...thisProcess(),
    owner: "saga run",
    purpose: "work",
    machine: "bob",
    takenAt: "2026-01-01T00:00:00.000Z",
    expiresAt: "2026-01-01T00:01:30.000Z",
  },
};
