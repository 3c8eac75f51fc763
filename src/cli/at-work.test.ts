import { cpSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { newProject } from "../../test/support/project.ts";
import { openStore } from "../store/file-store.ts";
import { storyLease } from "../store/lease-names.ts";
import { claimedStories } from "./at-work.ts";

it("a story is at work by its lease; a worker of the pool, and a name that is no id, are no story", async () => {
  const project = newProject();
  project.write(".saga/stories/broken/story.json", "{");
  const store = openStore(project.path);
  for (const name of ["broken", "auto-1", "auto-daemon"]) {
    await store.leases.acquire(storyLease(name), { owner: "someone", ttlMs: 60_000 });
  }
  const leases = join(project.path, ".saga/leases");
  // Names of folders: whoever can write there chooses them.
  for (const name of ["..", "\u001B[2J", ""]) {
    cpSync(join(leases, storyLease("broken")), join(leases, storyLease(name)), { recursive: true });
  }
  const claimed = await claimedStories(store);
  expect(claimed.map(({ storyId }) => storyId)).toEqual(["broken"]);
  expect((await project.saga("status", "--json")).json()["unreadable"]).toEqual(["broken"]);
});
