import { expect, it } from "vitest";
import { fleetOwner, isOnFleet } from "./fleet-owner.ts";

it("recognises its own names, and no others", () => {
  for (const machine of [undefined, "ann"]) expect(isOnFleet(fleetOwner(machine))).toBe(true);
  for (const owner of [undefined, "", "fleets", "auto-1", "ann"]) {
    expect(isOnFleet(owner)).toBe(false);
  }
});
