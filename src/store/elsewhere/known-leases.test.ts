import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { leaseOf } from "../../../test/support/lease-state.ts";
import { aStory, newProject } from "../../../test/support/project.ts";
import { openStore } from "../file-store.ts";
import type { LeaseState } from "../leases/leases.ts";
import { layoutOf } from "../project/layout.ts";
import { readKnownLeases, saveKnownLeases } from "./known-leases.ts";

const lease = (name: string): LeaseState => leaseOf(name, "bob");

it("shows commands that connect to nothing what other machines work on", async () => {
  const project = newProject();
  project.write(".saga/stories/cart/story.json", aStory("cart"));
  const store = openStore(project.path);
  const at = layoutOf(project.path);
  saveKnownLeases(at, []);
  expect(existsSync(join(project.path, ".saga/elsewhere"))).toBe(false);
  saveKnownLeases(at, [lease("story.cart")]);
  expect(await store.viewStory("cart")).toMatchObject({ state: "running", lease: { fence: 3 } });
  expect(await store.leases.read("story.cart")).toEqual(lease("story.cart"));
  expect(await store.leases.list()).toEqual([lease("story.cart")]);
  // An owner on this machine counts first.
  const { lease: own } = await store.leases.acquire("story.cart", { owner: "here", ttlMs: 1000 });
  expect((await store.leases.read("story.cart"))?.record.owner).toBe("here");
  expect((await store.leases.list()).map(({ record }) => record.owner)).toEqual(["here"]);
  await own?.release();
  saveKnownLeases(at, []);
  expect((await store.viewStory("cart")).state).toBe("ready");
});

it("ignores what is not a lease", () => {
  const project = newProject();
  const at = layoutOf(project.path);
  for (const text of ["", "{}", '[{"name":"story.cart","fence":1}]', '[null,1,"x"]', "[{"]) {
    project.write(".saga/elsewhere/leases.json", text);
    expect(readKnownLeases(at)).toEqual([]);
  }
});
