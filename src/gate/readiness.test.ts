import { expect, it } from "vitest";
import { aReceipt } from "../../test/support/receipts.ts";
import { readinessAt } from "./readiness.ts";

const CODE = "c".repeat(40);
const OLD = "d".repeat(40);
const required = { checks: ["npm test"], needsTesting: false, needsReview: false, weakened: [] };
const passed = (tree: string) => [
  aReceipt({ tree }),
  aReceipt({ tree, gate: "check", command: "npm test" }),
];

it("a story is ready when everything it requires passed on exactly its code", () => {
  expect(readinessAt(CODE, { required, receipts: passed(CODE) }).isReady).toBe(true);
});

it("receipts for other code do not count, however new", () => {
  const { isReady, missing, receipts } = readinessAt(CODE, { required, receipts: passed(OLD) });
  expect(isReady).toBe(false);
  expect(missing).toEqual(["its diff was not checked", "its check `npm test` was not run"]);
  expect(receipts).toEqual([]);
});

it("of several receipts of one gate the newest counts", () => {
  const failed = aReceipt({ tree: CODE, gate: "check", command: "npm test", isPassed: false });
  const again = { required, receipts: [failed, ...passed(CODE)] };
  expect(readinessAt(CODE, again).isReady).toBe(true);
  const red = { required, receipts: [...passed(CODE), failed] };
  expect(readinessAt(CODE, red).mergeBlockers).toHaveLength(1);
});

it("a missing check is enough not to be ready, and so is a finding alone", () => {
  const [diff] = passed(CODE);
  expect(readinessAt(CODE, { required, receipts: diff ? [diff] : [] }).isReady).toBe(false);
  const finding = { rule: "definition", message: "It asks for less.", key: "checks" } as const;
  const weakened = { ...required, weakened: [finding] };
  expect(readinessAt(CODE, { required: weakened, receipts: passed(CODE) }).isReady).toBe(false);
});
