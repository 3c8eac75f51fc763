import { expect, it } from "vitest";
import { newClones } from "../../../test/support/clones.ts";
import { readStoryOwner, takeFence } from "./lease-ref.ts";
import { discardAtRemote } from "./leftovers.ts";
import {
  discardFacts,
  discardIn,
  followedDiscards,
  isSameDiscard,
  noteFollowed,
} from "./shared-discard.ts";

const DISCARD = { fence: 3, at: "2026-11-18T10:00:00.000Z" };
const isMine = async (): Promise<boolean> => true;
const owner = (machine: string, fence: number) => ({ storyId: "cart", machine, fence, isMine });

it("reads only what a discard wrote", () => {
  expect(discardIn(discardFacts(DISCARD))).toEqual(DISCARD);
  expect(discardFacts(undefined)).toEqual({});
  for (const text of ["", "3", "3 soon", "x 2026-11-18", `-1 ${DISCARD.at}`, `3 ${DISCARD.at} x`]) {
    expect(discardIn({ Discarded: text })).toBeUndefined();
  }
  expect(isSameDiscard(DISCARD, { ...DISCARD })).toBe(true);
  expect(isSameDiscard(DISCARD, { ...DISCARD, fence: 4 })).toBe(false);
  expect(isSameDiscard(DISCARD, undefined)).toBe(false);
});

it("refuses a machine that has not followed it, and every later owner carries it on", async () => {
  const { ann, bob } = await newClones();
  const take = (clone: typeof ann, name: string, fence: number) =>
    takeFence(clone.repository, owner(name, fence), () => undefined);
  await take(bob, "bob", 2);
  const discarding = { repository: ann.repository, owner: owner("ann", 3), discard: DISCARD };
  await discardAtRemote({ ...discarding, saved: undefined });
  await expect(take(bob, "bob", 4)).rejects.toThrow("cart was discarded on another machine (ann).");
  await noteFollowed(bob.repository.git, "cart", DISCARD);
  expect(await followedDiscards(bob.repository.git)).toEqual(new Map([["cart", DISCARD]]));
  await take(bob, "bob", 4);
  expect(await readStoryOwner(ann.repository, "cart")).toMatchObject({
    machine: "bob",
    discard: DISCARD,
  });
  await expect(take(ann, "ann", 5)).rejects.toThrow("cart was discarded");
  const later = { ...DISCARD, fence: 6 };
  await discardAtRemote({
    ...discarding,
    owner: owner("ann", 6),
    discard: later,
    saved: undefined,
  });
  await expect(take(bob, "bob", 7)).rejects.toThrow("cart was discarded");
});
