import { expect, it } from "vitest";
import { newProject } from "../../../test/support/project.ts";
import { runSchema, type RunEvent } from "../../story/state/run.ts";
import { openStore } from "../file-store.ts";
import { layoutOf } from "../project/layout.ts";
import { foreignRun, importRun } from "./imported-run.ts";
import { processesOf } from "./run-processes.ts";

const AT = "2026-11-18T10:00:00.000Z";
const someProcess = { pid: process.pid, startTime: "1", bootId: "1", place: "host" };
const RUN = runSchema.parse({
  id: "20261118T100000000Z-1a2b3c",
  story: "add-login",
  startedAt: AT,
  worker: someProcess,
  agent: someProcess,
  session: "saga-story-add-login-1",
  conversation: "c",
  costUsd: 1,
});
const events: RunEvent[] = [1, 2, 3].map((number) => ({ at: AT, type: `event-${number}` }));
const from = async (number: number): Promise<RunEvent[]> => events.slice(number);

it("makes the run of another machine known here, event by event", async () => {
  const { path } = newProject();
  const store = openStore(path);
  const run = foreignRun(RUN, "ann");
  await importRun(layoutOf(path), run, async (number) => events.slice(number, 2));
  await importRun(layoutOf(path), { ...run, costUsd: 2 }, from);
  await importRun(layoutOf(path), { ...run, costUsd: 2 }, from);
  expect(await store.listRuns("add-login")).toMatchObject([{ machine: "ann", costUsd: 2 }]);
  expect((await store.readEvents("add-login", RUN.id)).events).toEqual(events);
});

it("keeps nothing that belongs to the other machine, and ends none of its processes", () => {
  const run = foreignRun(RUN, "ann");
  expect(run).not.toHaveProperty("agent");
  expect(run).not.toHaveProperty("session");
  expect(run).not.toHaveProperty("conversation");
  expect(run.worker?.place).toBe("machine ann");
  expect(processesOf({ ...RUN, machine: "ann" })).toEqual([]);
});

it("remembers that its worker died, until the other machine knows its end", async () => {
  const { path } = newProject();
  const store = openStore(path);
  const run = foreignRun(RUN, "ann");
  await importRun(layoutOf(path), run, from);
  const [known = run] = await store.listRuns("add-login");
  const log = await store.openRun(known);
  log.update({ endedAt: AT, outcome: "killed" });
  log.close();
  await importRun(layoutOf(path), run, from);
  expect(await store.listRuns("add-login")).toMatchObject([{ outcome: "killed" }]);
  await importRun(layoutOf(path), { ...run, endedAt: AT, outcome: "done" }, from);
  expect(await store.listRuns("add-login")).toMatchObject([{ outcome: "done" }]);
});

it("never replaces a run of this machine", async () => {
  const { path } = newProject();
  const store = openStore(path);
  const own = await store.startRun("auto-1");
  own.close();
  const forged = { ...foreignRun(RUN, "ann"), id: own.run.id, story: "auto-1", costUsd: 99 };
  await importRun(layoutOf(path), forged, from);
  expect(await store.listRuns("auto-1")).toMatchObject([{ costUsd: 0 }]);
  expect((await store.readEvents("auto-1", own.run.id)).events).toEqual([]);
});
