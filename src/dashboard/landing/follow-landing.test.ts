// The lanes and conflicts of a project, as files change.

import { appendFileSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { follow } from "../../../test/support/dashboard.ts";
import { aStory, aTask } from "../../../test/support/project.ts";
import { newRepository } from "../../../test/support/repository.ts";
import { laneId } from "../../landing/lane-id.ts";
import { openStore } from "../../store/file-store.ts";
import { laneLease } from "../../store/leases/lease-names.ts";

const AT = "2026-01-01T00:00:00.000Z";
const MAIN = { branch: "main", place: "here" } as const;

it("shows what waits and what lands, until the lander has ended", async () => {
  const test = newRepository();
  const { queue, leases } = openStore(test.path);
  const { entities, until } = await follow(test);
  expect(entities.ids("lanes")).toEqual([]);
  const lane = () => entities.get("lanes", "here.main");
  const one = { kind: "story", name: "one", lane: MAIN, priority: 3, by: "saga merge" } as const;
  const entry = await queue.enqueue({ ...one, after: [], checks: [] });
  await until(() => lane()?.entries.length === 1);
  expect(lane()).toMatchObject({ target: "main", entries: [{ name: "one", state: "waiting" }] });
  await queue.setHold(entry, "Ada");
  await until(() => lane()?.entries[0]?.state === "held");
  await queue.setHold(entry, undefined);

  const name = laneLease(laneId(MAIN));
  const { lease } = await leases.acquire(name, { owner: "saga merge", ttlMs: 60_000 });
  await queue.setNow(MAIN, { entries: ["one"], step: "verify", startedAt: AT });
  await until(() => lane()?.now?.step === "verify");
  expect(lane()?.entries[0]?.state).toBe("landing");
  await lease?.release();
  await until(() => lane()?.now === undefined);
});

it("reports that the check of a lane has printed something, and not that the lane has changed", async () => {
  const test = newRepository();
  const { queue } = openStore(test.path);
  const one = { kind: "story", name: "one", lane: MAIN, priority: 3, by: "saga merge" } as const;
  await queue.enqueue({ ...one, after: [], checks: [] });
  const project = await follow(test);
  expect(project.outputFile("here.gone")).toBeUndefined();
  const file = project.outputFile("here.main") ?? "";
  const lanes: string[] = [];
  await new Promise<void>((resolve) => {
    project.onOutput((lane) => {
      lanes.push(lane);
      resolve();
    });
    writeFileSync(file, "");
    appendFileSync(file, "ok\n");
  });
  expect(new Set(lanes)).toEqual(new Set(["here.main"]));
});

it("shows a conflict while both stories are open", async () => {
  const test = newRepository();
  const { openWorks } = openStore(test.path);
  for (const id of ["one", "two"]) {
    test.write(`.saga/stories/${id}/story.json`, aStory(id, { status: "in_progress" }));
    test.write(`.saga/stories/${id}/t.json`, aTask("t", { status: "in_progress" }));
  }
  const { entities, until } = await follow(test);
  const work = {
    title: "",
    intent: "",
    changes: { paths: ["a"], emptied: [], isEverything: false },
    merges: [],
    at: AT,
  };
  const merges = [
    { kind: "story" as const, name: "one", commit: "1", files: ["a.txt"], since: AT },
  ];
  await openWorks.write({ ...work, story: "one", tip: "1" });
  await openWorks.write({ ...work, story: "two", tip: "2", merges });
  await until(() => entities.ids("conflicts").length === 1);
  expect(entities.get("conflicts", "one story two")).toMatchObject({
    story: "one",
    with: { kind: "story", name: "two" },
    files: ["a.txt"],
  });
  test.write(".saga/stories/two/t.json", aTask("t", { status: "completed" }));
  test.write(".saga/stories/two/story.json", aStory("two", { status: "completed" }));
  await until(() => entities.ids("conflicts").length === 0);
});
