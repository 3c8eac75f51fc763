import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { startTimeOf } from "../../src/machine/processes/process-id.ts";
import { storyLease } from "../../src/store/leases/lease-names.ts";
import { newPoolStage, workersOf } from "../support/pool-stage.ts";
import { builtSaga, runNode } from "../support/programs.ts";
import { becomesTrue, until } from "../support/until.ts";

it("a worker ends within seconds when its daemon is killed while it waits for its lease", async () => {
  const stage = await newPoolStage();
  const { lease } = await stage.store.leases.acquire(storyLease("auto-1"), {
    owner: "an earlier worker",
    ttlMs: 600_000,
  });
  stage.addTask("1");
  const pool = stage.auto("--workers", "1");
  let pid = 0;
  await until(() => (pid = workersOf(stage)["auto-1"] ?? 0) !== 0);
  pool.child.kill("SIGKILL");
  await pool.ended;
  // It would wait for the lease for a minute.
  await becomesTrue("the worker ends", () => startTimeOf(pid) === undefined);
  await becomesTrue("its session ends", () => stage.sessions().length === 0);
  expect(stage.processes()).toEqual([]);
  expect(stage.tasks()).toEqual({ "1": "pending" });
  await lease?.release();
});

it("a worker whose daemon is gone before it starts ends, also with a handle left open", async () => {
  const stage = await newPoolStage();
  stage.addTask("1");
  const pool = stage.auto("--workers", "1");
  await until(() => workersOf(stage)["auto-1"] !== undefined);
  const names = readdirSync(join(stage.path, ".saga/auto"));
  const instance = names.find((name) => /^[0-9a-f]{8}$/.test(name)) ?? "";
  pool.child.kill("SIGKILL");
  await until(() => stage.sessions().length === 0);
  const open = join(stage.home, "open.cjs");
  writeFileSync(open, "setInterval(() => undefined, 1_000);\n");
  const words = ["auto-worker", "1", `--instance=${instance}`];
  const ended = await runNode(["--require", open, builtSaga, ...words], {
    cwd: stage.path,
    env: stage.env,
  });
  expect(ended, ended.stderr).toMatchObject({ exitCode: 0, signal: null });
});
