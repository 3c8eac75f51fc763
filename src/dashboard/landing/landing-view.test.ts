import { expect, it } from "vitest";
import { newRepository } from "../../../test/support/repository.ts";
import { openStore } from "../../store/file-store.ts";
import { isLaneLease, newLandingView } from "./landing-view.ts";

const AT = "2026-01-01T00:00:00.000Z";
const entry = { kind: "story" as const, priority: 3, by: "saga merge", after: [], checks: [] };

it("reads the lanes that have something to show, under the name that people know", async () => {
  const test = newRepository();
  test.git("remote", "add", "origin", "git@github.com:acorn/bookshop.git");
  const store = openStore(test.path);
  const { queue } = store;
  const lanes = { here: "here", away: "remote" } as const;
  for (const [name, place] of Object.entries(lanes)) {
    await queue.enqueue({ ...entry, name, lane: { branch: "main", place } });
  }
  const gone = await queue.enqueue({
    ...entry,
    name: "gone",
    lane: { branch: "old", place: "here" },
  });
  await queue.settle(gone, { kind: "dropped" });
  const view = newLandingView({ store, env: process.env, now: Date.now });
  await view.readPlace();
  const cards = [...(await view.readLanes()).values()];
  expect(cards.map(({ id, target, entries }) => [id, target, entries.length])).toEqual([
    ["here.main", "main", 1],
    ["remote.main", "main on GitHub (acorn/bookshop)", 1],
  ]);
});

it("shows lanes also while the settings are invalid", async () => {
  const test = newRepository();
  const store = openStore(test.path);
  await store.queue.enqueue({ ...entry, name: "one", lane: { branch: "main", place: "here" } });
  test.write(".saga/config.toml", "queue = 3\n");
  const view = newLandingView({ store, env: process.env, now: Date.now });
  expect([...(await view.readLanes()).keys()]).toEqual(["here.main"]);
});

it("shows conflicts as last read, for stories that are open now", async () => {
  const store = openStore(newRepository().path);
  await store.openWorks.write({
    story: "one",
    title: "One",
    intent: "",
    tip: "1",
    changes: { paths: ["a"], emptied: [], isEverything: false },
    merges: [{ kind: "target", name: "main", commit: "2", files: ["a"], since: AT }],
    at: AT,
  });
  const view = newLandingView({ store, env: process.env, now: Date.now });
  expect(view.conflicts(() => true).size).toBe(0);
  await view.readWorks();
  expect([...view.conflicts(() => true).keys()]).toEqual(["one target main"]);
  expect(view.conflicts(() => false).size).toBe(0);
});

it("knows the leases of landers", () => {
  expect([isLaneLease("lane.x"), isLaneLease("story.x")]).toEqual([true, false]);
});
