import { expect, it } from "vitest";
import { thisProcess } from "../../machine/processes/process-id.ts";
import { leaseReading } from "./read-lease.ts";

const NOW = Date.parse("2026-11-15T12:00:00Z");
const { parse, isAlive } = leaseReading("/nowhere", () => NOW);
const at = (ms: number): string => new Date(NOW + ms).toISOString();
const record = { ...thisProcess(), owner: "ann", takenAt: at(0), expiresAt: at(1) };

it.each(["", "{", "null", "[]", "1", JSON.stringify({ ...record, pid: "1" })])(
  "is not a lease: %s",
  (text) => {
    expect(parse(text)).toBeUndefined();
  },
);

it("an owner in another place is alive until its expiry, one here as long as its process", () => {
  const away = { ...record, purpose: "work", place: "another machine" } as const;
  expect(isAlive(away, "")).toBe(true);
  expect(isAlive({ ...away, expiresAt: at(0) }, "")).toBe(false);
  expect(isAlive({ ...record, purpose: "work", expiresAt: at(-1) }, "")).toBe(true);
  expect(parse(JSON.stringify(record))).toMatchObject({ owner: "ann", purpose: "work" });
});
