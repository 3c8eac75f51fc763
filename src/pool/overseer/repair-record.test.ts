import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, it, onTestFinished } from "vitest";
import { defaults } from "../../../test/support/default-settings.ts";
import { newProject } from "../../../test/support/project.ts";
import { thisProcess } from "../../machine/processes/process-id.ts";
import { openStore } from "../../store/file-store.ts";
import { POOL_DAEMON, RUN_MARK } from "../../story/definition/names.ts";
import { endRepairRecord, startRepairRecord } from "./repair-record.ts";

it("a repair ends the agent of an overseer that was killed, and records its own end", async () => {
  const project = newProject();
  const store = openStore(project.path);
  const worker = { ...thisProcess(), startTime: "1" };
  const left = await store.startRun(POOL_DAEMON, { worker });
  const agent = spawn("sleep", ["60"], { env: { ...process.env, [RUN_MARK]: left.run.id } });
  onTestFinished(() => void agent.kill("SIGKILL"));
  const ended = once(agent, "exit");
  left.close();

  const context = { store, settings: defaults, env: { HOME: project.path }, now: Date.now };
  const record = await startRepairRecord(context);
  await ended;
  endRepairRecord(record, { now: Date.now, isRepaired: true });
  expect(await store.listRuns(POOL_DAEMON)).toMatchObject([
    { outcome: "done", reason: "Repaired the task list.", cycles: 1 },
    { outcome: "killed", reason: "Its worker was killed." },
  ]);
});
