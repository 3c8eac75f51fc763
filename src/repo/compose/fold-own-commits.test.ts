import { expect, it } from "vitest";
import { newDelivery } from "../../../test/support/delivery.ts";
import { fold } from "./fold-own-commits.ts";

const commit = (name: string, parent: string) => ({
  commit: name,
  parents: [parent],
  tree: `tree of ${name}`,
  committedAt: 1,
  message: name,
});

it("folds Saga's own commits into the task before them, and the first ones into the task after them", () => {
  const all = [
    commit("start", "base"),
    commit("more", "start"),
    commit("one", "more"),
    commit("state", "one"),
    commit("two", "state"),
    commit("end", "two"),
  ];
  expect(fold(all, new Set(["start", "more", "state", "end"]))).toEqual([
    { ...commit("one", "base"), commit: "state", tree: "tree of state" },
    { ...commit("two", "state"), commit: "end", tree: "tree of end" },
  ]);
  expect(fold(all.slice(0, 2), new Set(["start", "more"]))).toEqual([
    { ...commit("start", "base"), commit: "more", tree: "tree of more" },
  ]);
  expect(fold(all.slice(2, 3), new Set())).toEqual(all.slice(2, 3));
});

const TRAILER = "Saga-Story: add-login";

it("keeps Saga's own commits out of the target, whether it has moved or not, with the same files", async () => {
  for (const hasMoved of [false, true]) {
    const delivery = await newDelivery();
    const state = (text: string): void =>
      void delivery.work({ ".saga/stories/add-login/journal.md": text }, `State\n\n${TRAILER}`);
    delivery.work({ "one.txt": "1\n" }, `One\n\n${TRAILER}\nSaga-Task: one`);
    state("one");
    delivery.work({ "two.txt": "2\n" }, `Two\n\n${TRAILER}\nSaga-Task: two`);
    // Not Saga's alone: it changes something else as well.
    delivery.work({ "three.txt": "3\n" }, `Complete add-login\n\n${TRAILER}`);
    state("done");
    if (hasMoved) delivery.meanwhile({ "other.txt": "other\n" });
    const was = delivery.target();
    const delivered = await delivery.deliver();
    expect(delivered).toMatchObject({ kind: "merged" });
    expect(delivery.log(`${was}..trunk`)).toEqual(["One", "Two", "Complete add-login"]);
    expect(delivery.show("trunk", ".saga/stories/add-login/journal.md")).toBe("done");
    expect(delivery.show("trunk~1", ".saga/stories/add-login/journal.md")).toBe("one");
    const left = delivery.test.git("diff", "--name-only", "trunk", "story/add-login");
    expect(left).toBe(hasMoved ? "other.txt" : "");
    // Repeated, it has arrived.
    expect(await delivery.deliver()).toEqual(delivered);
  }
});
