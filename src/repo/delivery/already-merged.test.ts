import { expect, it } from "vitest";
import { BRANCH, newDelivery } from "../../../test/support/delivery.ts";
import { STORY } from "../../../test/support/repository.ts";
import { beginDelivery, readDeliveries } from "../records/delivery-record.ts";
import { settleArrived, settleMerged } from "./already-merged.ts";

it("finishes a delivery whose process was killed after the target moved, and leaves the others", async () => {
  const delivery = await newDelivery();
  const { git } = await delivery.test.open();
  const tip = delivery.work({ "new.txt": "new\n" });
  const onto = delivery.target();
  await beginDelivery(git, { storyId: STORY, target: "trunk", tip, onto, commit: tip });
  const entry = { branch: BRANCH };
  const named = [{ entry, storyId: STORY }];
  const before = await settleArrived(git, named, onto);
  expect(before.open).toMatchObject([{ tip, arrived: undefined }]);
  delivery.test.git("branch", "--force", "trunk", tip);
  const after = await settleArrived(git, named, tip);
  expect(after).toEqual({
    open: [],
    merged: new Map([[entry, { kind: "merged", commit: tip, was: onto }]]),
  });
  expect(await readDeliveries(git, STORY)).toMatchObject({ pending: undefined, done: { tip } });
});

it("records a merge by hand with the commit that the target had", async () => {
  const delivery = await newDelivery();
  const repository = await delivery.test.open();
  const tip = delivery.work({ "new.txt": "new\n" });
  delivery.test.git("branch", "--force", "trunk", tip);
  const arrival = { storyId: STORY, target: "trunk", tip, onto: tip };
  expect(await settleMerged(repository, arrival)).toBe(tip);
  expect(await settleMerged(repository, arrival)).toBe(tip);
  expect((await readDeliveries(repository.git, STORY)).done).toMatchObject({ commit: tip });
});
