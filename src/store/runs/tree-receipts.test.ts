import { readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { newFolder } from "../../../test/support/project.ts";
import { aReceipt } from "../../../test/support/receipts.ts";
import {
  findTreeReceipt,
  isLanding,
  keepLanding,
  keepTreeReceipt,
  removeOldTreeReceipts,
} from "./tree-receipts.ts";

const check = aReceipt({ gate: "check", command: "npm test" });
const { tree } = check;
const wanted = { tree, command: "npm test" };
const COMMIT = "c".repeat(40);

function newPlace() {
  const { path: project } = newFolder();
  const env = { HOME: newFolder().path };
  const folder = join(project, ".saga/receipts");
  const file = (): string =>
    join(folder, readdirSync(folder).find((name) => name.endsWith(".json")) ?? "");
  return { place: { project, env }, folder, file };
}

it("a check that passed is found again by its tree and command, and by nothing else", () => {
  const { place } = newPlace();
  keepTreeReceipt(place, check);
  expect(findTreeReceipt(place, wanted)).toEqual(check);
  expect(findTreeReceipt(place, { ...wanted, command: "npm run lint" })).toBeUndefined();
  expect(findTreeReceipt(place, { ...wanted, tree: "b".repeat(40) })).toBeUndefined();
});

it("a check that failed is not kept", () => {
  const { place } = newPlace();
  keepTreeReceipt(place, { ...check, isPassed: false });
  expect(findTreeReceipt(place, wanted)).toBeUndefined();
});

it("a record that was changed, or written with another key, does not count", () => {
  const { place, file } = newPlace();
  keepTreeReceipt(place, check);
  const other = { ...place, env: { HOME: newFolder().path } };
  expect(findTreeReceipt(other, wanted)).toBeUndefined();
  writeFileSync(file(), readFileSync(file(), "utf8").replace(/"ms":\d+/, '"ms":7'));
  expect(findTreeReceipt(place, wanted)).toBeUndefined();
});

it("a verified commit is recognised, and a forged note is not", () => {
  const { place, folder } = newPlace();
  expect(isLanding(place, COMMIT)).toBe(false);
  keepLanding(place, COMMIT);
  expect(isLanding(place, COMMIT)).toBe(true);
  const other = "d".repeat(40);
  const note = readFileSync(join(folder, `landing-${COMMIT}.json`), "utf8");
  writeFileSync(join(folder, `landing-${other}.json`), note);
  expect(isLanding(place, other)).toBe(false);
});

it("records are removed after a month", () => {
  const { place, file } = newPlace();
  keepTreeReceipt(place, check);
  const nowMs = Date.now();
  removeOldTreeReceipts(place.project, nowMs);
  expect(findTreeReceipt(place, wanted)).toBeDefined();
  const old = new Date(nowMs - 31 * 24 * 3600_000);
  utimesSync(file(), old, old);
  removeOldTreeReceipts(place.project, nowMs);
  expect(findTreeReceipt(place, wanted)).toBeUndefined();
});
