import { expect, it, onTestFinished } from "vitest";
import { newFleetProject, openMemberStore } from "../../../test/support/fleet-project.ts";
import { newProject } from "../../../test/support/project.ts";
import { usePostgres } from "../../../test/support/postgres.ts";
import { openStore } from "../../store/file-store.ts";
import { readDrainRequest } from "../../store/leases/drain-request.ts";
import { layoutOf } from "../../store/project/layout.ts";
import { startMemberWork } from "./member-work.ts";
import { openFleetOf } from "./open-fleet.ts";

const postgres = usePostgres();

it("sends what a worker does, and stops it when a person on another machine wants that", async () => {
  const { ann, bob, envOf } = await newFleetProject(await postgres());
  const store = openMemberStore(ann.path, envOf(ann));
  const settings = await store.settings();
  const { lease } = await store.leases.acquire("story.cart", { owner: "a worker", ttlMs: 90_000 });
  onTestFinished(() => lease?.release());
  let stops = 0;
  const work = await startMemberWork({ store, settings, env: envOf(ann) }, "cart", () => stops++);
  const log = await store.startRun("cart");
  log.append({ at: "2026-11-18T10:00:00.000Z", type: "one" });
  const there = await openFleetOf({ project: bob.path, env: envOf(bob) }, settings);
  onTestFinished(() => there.close());
  const request = { story: "cart", fence: lease?.fence ?? 0, by: "bob" };
  const startedMs = Date.now();
  await there.stopRequests.request({ ...request, spentBudgetUsd: 5 });
  await expect
    .poll(() => readDrainRequest(layoutOf(ann.path), "cart", startedMs), { timeout: 20_000 })
    .toBe("The budget of the epic's run is spent ($5.00).");
  expect(stops).toBe(0);
  await there.stopRequests.request(request);
  await expect.poll(() => stops, { timeout: 20_000 }).toBe(1);
  log.close();
  await work.end();
  const other = openStore(bob.path);
  await there.openExchange(other).receive();
  expect(await other.listRuns("cart")).toMatchObject([{ id: log.run.id, machine: "ann" }]);
  expect(stops).toBe(1);
});

it("ends a story in order when its epic's budget is spent, on any machine", async () => {
  const { ann, bob, envOf, saga } = await newFleetProject(await postgres());
  await saga(bob, "epic", "run", "shop", "--fleet", "--detach", "--max-cost", "5");
  const store = openMemberStore(ann.path, envOf(ann));
  const settings = await store.settings();
  const there = await openFleetOf({ project: bob.path, env: envOf(bob) }, settings);
  onTestFinished(() => there.close());
  const jobs = await there.openJobs();
  onTestFinished(() => jobs.close());
  const claims = [await jobs.claim([]), await jobs.claim([])];
  expect(claims.map((claim) => claim?.work?.story)).toContain("cart");
  const startedMs = Date.now();
  const work = await startMemberWork({ store, settings, env: envOf(ann) }, "cart");
  onTestFinished(() => work.end());
  const elsewhere = openStore(bob.path);
  const log = await elsewhere.startRun("price", { costUsd: 5.5 });
  onTestFinished(log.close);
  await there.openExchange(elsewhere).send("price");
  await expect
    .poll(() => readDrainRequest(layoutOf(ann.path), "cart", startedMs), { timeout: 20_000 })
    .toBe("The budget of the epic's run is spent ($5.00).");
});

it("does nothing outside of a fleet", async () => {
  const store = openStore(newProject().path);
  const settings = await store.settings();
  const work = await startMemberWork({ store, settings, env: {} }, "cart");
  expect(await work.end()).toBeUndefined();
});
