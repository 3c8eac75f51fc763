import { describe, expect, it } from "vitest";
import { thisProcess } from "../../machine/processes/process-id.ts";
import type { LeaseState } from "./leases.ts";
import { isLeasePurpose, workerState, type LeasePurpose } from "./lease-purpose.ts";

const lease = (life: LeaseState["life"], purpose: LeasePurpose): LeaseState => ({
  name: "story.a",
  fence: 1,
  life,
  record: {
    owner: "anyone",
    purpose,
    ...thisProcess(),
    takenAt: "2026-11-15T12:00:00.000Z",
    expiresAt: "2026-11-15T12:01:00.000Z",
  },
});

describe("the worker of a story", () => {
  it.each([
    ["alive", "alive", "work"],
    ["dead", "dead", "work"],
    ["alive", "alive", "command"],
    ["none", "dead", "command"],
    ["none", "dead", "merge"],
    ["dead", "dead", "merging-epic-run"],
  ] as const)("is %s when the holder is %s and holds the lease for: %s", (state, life, purpose) => {
    expect(workerState(lease(life, purpose))).toBe(state);
  });

  it('is "none" without a lease', () => {
    expect(workerState(undefined)).toBe("none");
  });
});

it("a purpose is one of the known words", () => {
  expect(["work", "command", "merge", "merging-epic-run"].every(isLeasePurpose)).toBe(true);
  expect([undefined, "", "saga merge", 1].some(isLeasePurpose)).toBe(false);
});
