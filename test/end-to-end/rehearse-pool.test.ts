import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { LIST, newPoolStage, type PoolStage } from "../support/pool-stage.ts";
import type { Stage } from "../support/stage.ts";
import { expectExit } from "../support/expect-exit.ts";

/** Gives the stage a temporary folder of its own. Returns what is in it. */
function watchTemporary({ home, env }: Stage): () => string[] {
  const folder = join(home, "temporary");
  mkdirSync(folder);
  Object.assign(env, { TMPDIR: folder });
  return () => readdirSync(folder).filter((name) => name.startsWith("saga-rehearsal-"));
}

/** All that a rehearsal must leave as it is. */
const stateOf = ({ git, list, path }: PoolStage) => ({
  head: git("rev-parse", "HEAD"),
  refs: git("for-each-ref"),
  status: git("status", "--short", "--ignored"),
  saga: readdirSync(join(path, ".saga")).toSorted(),
  list: readdirSync(list)
    .toSorted()
    .map((name) => [name, name.endsWith(".json") && readFileSync(join(list, name), "utf8")]),
});

it("a pool is rehearsed completely, with merges, and project and list are not changed", async () => {
  const stage = await newPoolStage();
  stage.addTask("1");
  const rehearsal = [{ write: "work/2.md", content: "As the task says.\n" }];
  stage.addTask("2", { blockedBy: ["1"], metadata: { checks: ["test -e work/2.md"], rehearsal } });
  const held = { kind: "parked", why: "It failed.", at: "2025-01-01T00:00:00.000Z" };
  stage.addTask("3", { metadata: { saga: { held } } });
  const before = stateOf(stage);
  const copies = watchTemporary(stage);
  const ended = await expectExit(0, stage.auto("--rehearse", "--workers", "2").ended);
  for (const id of ["1", "2"]) expect(ended.stderr).toContain(`merged task ${id} as`);
  expect(ended.stdout).toContain("2 tasks completed");
  expect(ended.stdout).toContain("Rehearsal passed");

  expect(stateOf(stage)).toEqual(before);
  // The model that the project would have paid for.
  expect(stage.model.turns()).toBe(0);
  expect(stage.sessions()).toEqual([]);
  expect(stage.processes()).toEqual([]);
  expect(copies()).toEqual([]);
});

it("a rehearsal does not change a list in a configured folder, or a target that is not checked out", async () => {
  const stage = await newPoolStage();
  const root = dirname(stage.list);
  stage.write(
    ".saga/config.toml",
    `[auto]\ntask_list_id = "${LIST}"\ntasks_root = "${root}"\ntarget = "night"\n`,
  );
  stage.git("branch", "night");
  stage.addTask("1");
  const before = stateOf(stage);
  const ended = await expectExit(0, stage.auto("--rehearse", "--json").ended);
  expect(JSON.parse(ended.stdout)).toMatchObject({ list: LIST, completed: ["1"], exitCode: 0 });
  expect(stateOf(stage)).toEqual(before);
});

it("a rehearsal of a pool that fails says so, and how it can succeed", async () => {
  const stage = await newPoolStage();
  stage.addTask("1", { metadata: { checks: ["test -e what-no-script-writes"] } });
  const before = stateOf(stage);
  const ended = await expectExit(3, stage.auto("--rehearse", "--workers", "1").ended);
  expect(ended.stdout).toContain("Rehearsal failed");
  expect(ended.stdout).toContain("the field `rehearsal`");
  expect(stateOf(stage)).toEqual(before);
  expect(stage.sessions()).toEqual([]);
});
