import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { aStory, newProject } from "../../../test/support/project.ts";
import { openStore } from "../../store/file-store.ts";
import { epicLease, storyLease } from "../../store/leases/lease-names.ts";
import { leasedStories } from "./active-workers.ts";

it("a lease makes a story active, but not a pool worker or an invalid id", async () => {
  const project = newProject();
  project.write(".saga/stories/broken/story.json", "{");
  const store = openStore(project.path);
  for (const name of ["broken", "auto-1", "auto-daemon"]) {
    await store.leases.acquire(storyLease(name), { owner: "someone", ttlMs: 60_000 });
  }
  const leases = join(project.path, ".saga/leases");
  // Anyone who can write there chooses the names of folders.
  for (const name of ["..", "\u001B[2J", ""]) {
    cpSync(join(leases, storyLease("broken")), join(leases, storyLease(name)), { recursive: true });
  }
  const leased = await leasedStories(store, () => undefined);
  expect(leased.map(({ storyId }) => storyId)).toEqual(["broken"]);
  expect((await project.saga("status", "--json")).json()["unreadable"]).toEqual(["broken"]);
});

it("an epic's run is shown as running even between two stories, until it ends", async () => {
  const project = newProject();
  const store = openStore(project.path);
  const { lease } = await store.leases.acquire(epicLease("shop"), {
    owner: "saga epic run",
    ttlMs: 60_000,
  });
  const leases = join(project.path, ".saga/leases");
  cpSync(join(leases, epicLease("shop")), join(leases, epicLease("..")), { recursive: true });
  expect((await project.saga("status")).stdout).toMatch(
    /^Running\n {2}◐ shop {2}epic run, for \d+ s\n$/,
  );
  expect((await project.saga("status", "--json")).json()["epics"]).toMatchObject([
    { epic: "shop", pid: process.pid },
  ]);
  await lease?.release();
  expect((await project.saga("status")).stdout).toBe("Nothing is running.\n");
});

it("an unreadable lease does not keep other stories from being stopped; stop --all names it", async () => {
  const project = newProject();
  project.write(".saga/stories/good/story.json", aStory("good"));
  mkdirSync(join(project.path, ".saga/leases/story.bad/1.json"), { recursive: true });
  const one = await project.saga("stop", "good");
  expect(one.exitCode, one.stderr).toBe(0);
  const all = await project.saga("stop", "--all");
  expect(all.exitCode, all.stderr).toBe(1);
  expect(all.stdout).toContain("leases/story.bad");
  expect(all.stdout).toContain("cannot be read; its worker may still be running.");
});
