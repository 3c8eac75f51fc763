import { describe, expect, it } from "vitest";
import { aCard } from "../../../../test/support/page/fixture.ts";
import { NOTHING, take, type Known, type Taken } from "./entities.ts";

const cart = aCard("cart", "Cart", "ready");
const pay = aCard("pay", "Pay", "waiting");
const known: Known = { sequence: 4, entities: { ...NOTHING, stories: { cart, pay } } };

describe("take", () => {
  it("begins with a snapshot, whatever its number", () => {
    const entities = { ...NOTHING, stories: { cart } };
    const snapshot = { type: "snapshot", sequence: 9, entities, token: "t", version: "1" } as const;
    expect(take(undefined, snapshot)).toEqual({
      is: "taken",
      known: { sequence: 9, entities },
      changed: "all",
    });
  });

  it("knows nothing but what it was told: not what every object has", () => {
    const entities = { ...NOTHING, stories: { cart } };
    const snapshot = { type: "snapshot", sequence: 9, entities, token: "t", version: "1" } as const;
    const { known: first } = taken(take(undefined, snapshot));
    const changes = [{ kind: "stories", id: "pay", value: pay }] as const;
    const { known: after } = taken(take(first, { type: "change", sequence: 10, changes }));
    for (const { stories, epics } of [first.entities, after.entities]) {
      for (const id of ["constructor", "toString", "__proto__"]) {
        expect([stories[id], epics[id]], id).toEqual([undefined, undefined]);
      }
    }
  });

  it("applies the next change and leaves every other entity as it is", () => {
    const running = { ...cart, state: "running" } as const;
    const { known: after, changed } = taken(
      take(known, {
        type: "change",
        sequence: 5,
        changes: [{ kind: "stories", id: "cart", value: running }],
      }),
    );
    expect(changed).toEqual(["stories:cart"]);
    expect(after.entities.stories).toEqual({ cart: running, pay });
    expect(after.entities.stories["pay"]).toBe(pay);
    expect(after.entities.epics).toBe(known.entities.epics);
    expect(known.entities.stories["cart"]).toBe(cart);
  });

  it("removes what is gone", () => {
    const changes = [{ kind: "stories", id: "pay", value: null }] as const;
    const { known: after } = taken(take(known, { type: "change", sequence: 5, changes }));
    expect(Object.keys(after.entities.stories)).toEqual(["cart"]);
  });

  it("knows a gap, a change from before the snapshot, and a change before any snapshot", () => {
    const change = (sequence: number) => ({ type: "change", sequence, changes: [] }) as const;
    expect(take(known, change(6))).toEqual({ is: "gap" });
    expect(take(known, change(4))).toEqual({ is: "old" });
    expect(take(undefined, change(1))).toEqual({ is: "gap" });
  });
});

function taken(result: Taken): Extract<Taken, { is: "taken" }> {
  if (result.is !== "taken") throw new Error(`It was not taken: ${result.is}.`);
  return result;
}
