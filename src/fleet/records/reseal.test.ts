import { expect, it } from "vitest";
import { isSealed, sealOf } from "../../store/runs/receipt-seal.ts";
import { sealedReceipt } from "../../store/runs/receipts.ts";
import { receiptSchema } from "../../story/receipts/receipt.ts";
import { runSchema, type RunEvent } from "../../story/state/run.ts";
import { resealEvent, resealRun } from "./reseal.ts";

const [ann, fleet, bob] = [1, 2, 3].map((byte) => Buffer.alloc(32, byte));
const place = { storyId: "add-login", runId: "20261118T100000000Z-1a2b3c" };
const run = runSchema.parse({
  id: place.runId,
  story: place.storyId,
  startedAt: "2026-11-18T10:00:00.000Z",
});
const receipt = {
  gate: "diff",
  at: "2026-11-18T10:00:00.000Z",
  tree: "a".repeat(40),
  isPassed: true,
  ms: 1,
};

const gateWith = (key: Buffer | undefined): RunEvent => {
  const parsed = receiptSchema.parse(receipt);
  return { type: "gate", ...receipt, ...(key && { seal: sealOf(key, parsed, place) }) };
};

it("brings a receipt from one machine's seal to another's", () => {
  const onTheWay = resealEvent(gateWith(ann), run, { from: ann, to: fleet });
  expect(sealedReceipt(onTheWay, place, ann)).toBeUndefined();
  const there = resealEvent(onTheWay, run, { from: fleet, to: bob });
  expect(sealedReceipt(there, place, bob)).toMatchObject({ gate: "diff", isPassed: true });
});

it.each([
  ["a forged one", gateWith(bob), { from: fleet, to: bob }],
  ["one without a seal", gateWith(undefined), { from: fleet, to: bob }],
  ["any, without the fleet's key", gateWith(fleet), { from: undefined, to: bob }],
  ["one of another run", gateWith(fleet), { from: fleet, to: bob }],
])("takes the seal from %s", (about, event, keys) => {
  const owner = about === "one of another run" ? { ...run, id: "20261118T100000000Z-ffffff" } : run;
  expect(resealEvent(event, owner, keys)).not.toHaveProperty("seal");
});

it("leaves other events alone", () => {
  const event = { type: "warning", at: receipt.at, message: "x", seal: "y" };
  expect(resealEvent(event, run, { from: ann, to: fleet })).toBe(event);
});

it("brings the start of a story and a person's edit along, if their seals are right", () => {
  if (!ann || !fleet) throw new Error("No key.");
  const start = { commit: "c", seal: sealOf(ann, { start: "c" }, place) };
  const edit = { definition: "{}", from: "d", seal: "forged" };
  const there = resealRun({ ...run, start, edit }, { from: ann, to: fleet });
  expect(isSealed(fleet, { start: "c" }, { ...place, seal: there.start?.seal })).toBe(true);
  expect(there.edit).toBeUndefined();
});
