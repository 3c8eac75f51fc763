import { expect, it } from "vitest";
import { aShop, nothingYet } from "../../../../test/support/page/fixture.ts";
import { waitingCount } from "./waiting-count.ts";

it("nothing waits in an empty project", () => {
  expect(waitingCount(nothingYet())).toBe(0);
});

it("an epic to merge and a loose task on hold count like a story", () => {
  const before = waitingCount(aShop());
  const [epic] = Object.values(aShop().epics);
  const [pool] = Object.values(aShop().pool);
  if (epic === undefined) throw new Error("The shop has no epic.");
  const epics = { ...aShop().epics, [epic.id]: { ...epic, awaitsMerge: !epic.awaitsMerge } };
  expect(waitingCount({ ...aShop(), epics })).toBe(before + (epic.awaitsMerge ? -1 : 1));
  if (pool === undefined) return;
  const tasks = pool.tasks.filter(({ state }) => state !== "needs-you");
  const left = pool.tasks.length - tasks.length;
  expect(waitingCount({ ...aShop(), pool: { list: { ...pool, tasks } } })).toBe(before - left);
});
