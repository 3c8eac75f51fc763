import { expect, it, onTestFinished } from "vitest";
import { newDatabase, usePostgres } from "../../../test/support/postgres.ts";
import { runSchema } from "../../story/state/run.ts";
import { openRecords } from "../records/records.ts";
import { openDatabase } from "./database.ts";
import { openEpicBudgets } from "./epic-budgets.ts";
import { openJobs } from "./jobs.ts";
import { createSchema, jobSchemaOf, schemaOf } from "./schema.ts";

const postgres = usePostgres();
const EPIC = { epic: "shop", stories: ["cart", "price"] };

async function newBudgets() {
  const database = openDatabase(await newDatabase(await postgres()));
  onTestFinished(() => database.close());
  await createSchema(database, { fleet: "shop", root: "a".repeat(40) }, Buffer.alloc(32));
  const schema = schemaOf("shop");
  const jobSchema = jobSchemaOf("shop");
  const jobs = await openJobs(database, { schema: jobSchema, migrate: true });
  onTestFinished(() => jobs.close());
  const records = openRecords(database, schema);
  /** What a run has cost so far. The ids of runs end differently. */
  const spend = (story: string, end: string, costUsd: number, machine = "ann"): Promise<void> => {
    const id = `20261118T100000000Z-00000${end}`;
    const run = runSchema.parse({ id, story, startedAt: "2026-11-18T10:00:00.000Z", costUsd });
    return records.save(run, machine, [], 0);
  };
  const budgets = openEpicBudgets(database, { schema, jobSchema });
  return { budgets, jobs, spend, records, database, schema };
}

it("counts what all machines spend on the epic's stories since its run began", async () => {
  const { budgets, spend } = await newBudgets();
  await spend("cart", "1", 50);
  await budgets.save({ ...EPIC, budgetUsd: 5 }, { isNewRun: true });
  await spend("cart", "1", 51);
  await spend("price", "2", 2.5, "bob");
  await spend("mail", "3", 99);
  expect(await budgets.ofEpic("shop")).toEqual({ ...EPIC, budgetUsd: 5, spentUsd: 3.5 });
});

it("keeps counting when the limit changes, and starts again with a new run", async () => {
  const { budgets, spend } = await newBudgets();
  await budgets.save({ ...EPIC, budgetUsd: 5 }, { isNewRun: true });
  await spend("cart", "1", 4);
  await budgets.save({ ...EPIC, budgetUsd: 9 }, { isNewRun: false });
  expect(await budgets.ofEpic("shop")).toMatchObject({ budgetUsd: 9, spentUsd: 4 });
  await budgets.save({ ...EPIC, budgetUsd: 9 }, { isNewRun: true });
  expect(await budgets.ofEpic("shop")).toMatchObject({ spentUsd: 0 });
  await budgets.save({ ...EPIC, budgetUsd: undefined }, { isNewRun: true });
  expect(await budgets.ofEpic("shop")).toBeUndefined();
});

it("does not count runs from before that a new database learns of later", async () => {
  const { budgets, spend } = await newBudgets();
  const before = { "20261118T100000000Z-000001": 4 };
  await budgets.save({ ...EPIC, budgetUsd: 5, before }, { isNewRun: false });
  await spend("cart", "1", 4.5);
  expect(await budgets.ofEpic("shop")).toMatchObject({ spentUsd: 0.5 });
});

it("takes no text of a hostile row for a cost", async () => {
  const { budgets, spend, database, schema } = await newBudgets();
  await budgets.save({ ...EPIC, budgetUsd: 5 }, { isNewRun: true });
  await spend("cart", "1", 1);
  await spend("price", "2", 3);
  await database.query(
    `UPDATE ${schema}.run SET body = '{"costUsd": "drop"}' WHERE story = 'price'`,
  );
  await database.query(
    `UPDATE ${schema}.epic_run SET before = '{"20261118T100000000Z-000001": "x"}'`,
  );
  expect(await budgets.ofEpic("shop")).toMatchObject({ spentUsd: 1 });
  await database.query(`UPDATE ${schema}.epic_run SET budget_usd = 'NaN'`);
  expect(await budgets.ofEpic("shop")).toBeUndefined();
});

it("keeps the records of an epic's run that has a limit, however long it takes", async () => {
  const { budgets, spend, records, database, schema } = await newBudgets();
  await spend("cart", "1", 1);
  await spend("mail", "3", 1);
  await database.query(`UPDATE ${schema}.run SET updated_at = now() - interval '31 days'`);
  await budgets.save({ ...EPIC, budgetUsd: 5 }, { isNewRun: true });
  await records.removeOlderThan(30);
  expect((await records.costs()).map(({ story }) => story)).toEqual(["cart"]);
});

it("is about what the fleet works on, not about what a person runs", async () => {
  const { budgets, jobs } = await newBudgets();
  await budgets.save({ ...EPIC, budgetUsd: 5 }, { isNewRun: true });
  expect(await budgets.ofClaimed("cart")).toBeUndefined();
  const [root, commit] = ["a".repeat(40), "b".repeat(40)];
  const about = { root, commit, merge: true, labels: [], priority: 2, after: [] };
  await jobs.enqueue([{ ...about, story: "cart" }]);
  const claim = await jobs.claim([]);
  expect(await budgets.ofClaimed("cart")).toMatchObject({ epic: "shop", budgetUsd: 5 });
  expect(await budgets.ofClaimed("price")).toBeUndefined();
  if (claim) await jobs.park(claim, "budget");
  expect(await budgets.ofClaimed("cart")).toBeUndefined();
});
