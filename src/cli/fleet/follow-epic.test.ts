import { expect, it, onTestFinished } from "vitest";
import { newFleetProject } from "../../../test/support/fleet-project.ts";
import { usePostgres } from "../../../test/support/postgres.ts";
import { openStore } from "../../store/file-store.ts";
import { runSchema } from "../../story/state/run.ts";
import { openFleetOf } from "./open-fleet.ts";

const postgres = usePostgres();

it("puts an epic into the queue once, and says so", async () => {
  const { ann, bob, saga, remoteRefs } = await newFleetProject(await postgres());
  const first = await saga(ann, "epic", "run", "shop", "--fleet", "--detach", "--json");
  expect(first.json()).toMatchObject({ epic: "shop", queued: ["cart", "price", "order"] });
  expect(Object.keys(remoteRefs())).toContain("refs/saga/fleet/shop");
  const second = await saga(bob, "epic", "run", "shop", "--fleet", "--detach");
  expect(second.stdout).toContain("shop is in the fleet's queue");
  expect((await saga(bob, "fleet", "status")).stdout).toMatch(/order +waits for other stories/);
});

it("gives the run of an epic its budget, and a new one only to a new run", async () => {
  const { ann, bob, saga, envOf } = await newFleetProject(await postgres());
  const settings = await openStore(ann.path).settings();
  const fleet = await openFleetOf({ project: ann.path, env: envOf(ann) }, settings);
  onTestFinished(() => fleet.close());
  const jobs = await fleet.openJobs();
  onTestFinished(() => jobs.close());
  const run = (...words: string[]) =>
    saga(ann, "epic", "run", "shop", "--fleet", "--merge", ...words, "--json");
  const spend = (costUsd: number): Promise<void> => {
    const id = "20261118T100000000Z-000001";
    const startedAt = "2026-11-18T10:00:00.000Z";
    return fleet.records.save(
      runSchema.parse({ id, story: "cart", startedAt, costUsd }),
      "eve",
      [],
      0,
    );
  };
  await run("--detach", "--max-cost", "5");
  expect(await fleet.epicBudgets.ofEpic("shop")).toMatchObject({ budgetUsd: 5, spentUsd: 0 });
  await spend(5.5);
  await run("--detach", "--max-cost", "9");
  expect(await fleet.epicBudgets.ofEpic("shop")).toMatchObject({ budgetUsd: 9, spentUsd: 5.5 });
  for (let claim = await jobs.claim([]); claim; claim = await jobs.claim([])) {
    await jobs.park(claim, "budget");
  }
  const ended = await saga(bob, "fleet", "sync");
  expect(ended.stdout).toContain("cart is not queued: its epic's budget is spent");
  await run("--detach", "--max-cost", "5");
  expect(await fleet.epicBudgets.ofEpic("shop")).toMatchObject({ budgetUsd: 5, spentUsd: 0 });
});

it("ends when the budget is spent, and says what continues", async () => {
  const { ann, saga, envOf } = await newFleetProject(await postgres());
  const settings = await openStore(ann.path).settings();
  const fleet = await openFleetOf({ project: ann.path, env: envOf(ann) }, settings);
  onTestFinished(() => fleet.close());
  const jobs = await fleet.openJobs();
  onTestFinished(() => jobs.close());
  const following = saga(ann, "epic", "run", "shop", "--fleet", "--max-cost", "5");
  await expect.poll(() => fleet.epicBudgets.ofEpic("shop"), { timeout: 20_000 }).toBeDefined();
  const id = "20261118T100000000Z-000001";
  const startedAt = "2026-11-18T10:00:00.000Z";
  const run = runSchema.parse({ id, story: "cart", startedAt, costUsd: 5.5 });
  await fleet.records.save(run, "eve", [], 0);
  const parked = new Set<string>();
  await expect
    .poll(
      async () => {
        const claim = await jobs.claim([]);
        if (claim?.work) parked.add(claim.work.story);
        if (claim) await jobs.park(claim, "budget");
        return parked.size;
      },
      { timeout: 20_000 },
    )
    .toBe(2);
  const ended = await following;
  expect(ended.exitCode).toBe(2);
  expect(ended.stderr).toContain("Cost limit of this run reached: $5.50 of $5.00 spent.");
  expect(ended.stdout).toContain("! cart, price of shop wait: $5.50 of $5.00 spent in this run");
  expect(ended.stdout).toContain("`saga epic run shop --fleet` continues with a new budget.");
});
