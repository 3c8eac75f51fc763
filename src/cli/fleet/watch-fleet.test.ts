import { expect, it, onTestFinished } from "vitest";
import { newFleetProject, openMemberStore } from "../../../test/support/fleet-project.ts";
import { usePostgres } from "../../../test/support/postgres.ts";
import { follow } from "../../../test/support/dashboard.ts";
import { openStore } from "../../store/file-store.ts";
import { openFleetOf } from "./open-fleet.ts";
import { watchFleet } from "./watch-fleet.ts";

const postgres = usePostgres();

it("shows the fleet's machines and stories, and keeps the last card while the database is away", async () => {
  const { ann, envOf, saga } = await newFleetProject(await postgres());
  await saga(ann, "epic", "run", "shop", "--fleet", "--detach");
  const env: Record<string, string | undefined> = { ...envOf(ann) };
  const watch = watchFleet({ project: ann.path, env }, openStore(ann.path));
  onTestFinished(watch.close);
  const card = await watch.read();
  expect(card).toMatchObject({ name: "shop", machine: "ann", machines: [] });
  expect(card?.stories.map(({ story, queue }) => [story, queue]).toSorted()).toEqual([
    ["cart", "queued"],
    ["order", "waiting"],
    ["price", "queued"],
  ]);
  await watch.close();
  env["SAGA_FLEET_URL"] = "postgres://saga:hunter22@127.0.0.1:1/x";
  const away = await watch.read();
  expect(away).toMatchObject({
    ...card,
    problem: expect.stringContaining("cannot be reached") as string,
  });
  expect(JSON.stringify(away)).not.toContain("hunter22");
  ann.write(".saga/config.toml", "");
  expect(await watch.read()).toBeUndefined();
});

it("shows the stories, logs, lanes and costs of other machines, though this one has not joined", async () => {
  const { ann, bob, envOf } = await newFleetProject(await postgres());
  const here = { project: ann.path, env: envOf(ann) };
  const store = openMemberStore(ann.path, envOf(ann));
  const watch = watchFleet(here, store);
  onTestFinished(watch.close);
  const { story, entities, until } = await follow(ann, { store, readFleet: watch.read });
  expect(story("cart")?.state).toBe("ready");

  // Bob's machine works on cart, and merges.
  const theirs = openStore(bob.path);
  const there = await openFleetOf(
    { project: bob.path, env: envOf(bob) },
    { fleet: { name: "shop" } },
  );
  onTestFinished(there.close);
  const held = { owner: "a worker", ttlMs: 60_000 };
  const { lease } = await there.leases.acquire("story.cart", held);
  const lane = "lane-remote-main-1a2b3c4d";
  await there.leases.acquire(`lane.${lane}`, held);
  await there.machines.join({ name: "bob", slots: 2, labels: [], version: "1" });
  const log = await theirs.startRun("cart", { costUsd: 0.5 });
  const at = new Date().toISOString();
  log.append({ at, type: "tool.called", tool: "Write", about: "cart.txt" });
  await there.openExchange(theirs).send("cart");
  await until(() => story("cart")?.state === "running");
  await until(() => story("cart")?.costUsd === 0.5);
  const { events } = await store.readEvents("cart", log.run.id);
  expect(events).toMatchObject([{ about: "cart.txt" }]);
  await until(() => entities.get("fleet", "fleet")?.machines[0]?.costUsd === 0.5);
  expect(entities.get("fleet", "fleet")).toMatchObject({
    machines: [{ name: "bob", stories: ["cart"] }],
    lanes: [{ lane, machine: "bob" }],
  });

  const { queue } = openMemberStore(bob.path, envOf(bob));
  await queue.enqueue({
    kind: "story",
    name: "cart",
    lane: { branch: "main", place: "remote" },
    priority: 3,
    by: "saga merge",
    after: [],
    checks: [],
  });
  await until(() => entities.get("lanes", "remote.main")?.entries.length === 1);
  expect(entities.get("lanes", "remote.main")?.entries).toMatchObject([
    { name: "cart", machine: "bob" },
  ]);

  log.update({ endedAt: at, outcome: "stopped" });
  log.close();
  await there.openExchange(theirs).send("cart");
  await lease?.release();
  await until(() => story("cart")?.state === "stopped");
});
