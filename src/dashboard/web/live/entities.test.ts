import { describe, expect, it } from "vitest";
import { aCard } from "../../../../test/support/page/fixture.ts";
import { NO_ENTITIES, applyMessage, type KnownEntities, type ApplyResult } from "./entities.ts";

const cart = aCard("cart", "Cart", "ready");
const pay = aCard("pay", "Pay", "waiting");
const known: KnownEntities = { sequence: 4, entities: { ...NO_ENTITIES, stories: { cart, pay } } };

describe("applyMessage", () => {
  it("starts with a snapshot of any number", () => {
    const entities = { ...NO_ENTITIES, stories: { cart } };
    const snapshot = { type: "snapshot", sequence: 9, entities, token: "t", version: "1" } as const;
    expect(applyMessage(undefined, snapshot)).toEqual({
      is: "applied",
      known: { sequence: 9, entities },
      changed: "all",
    });
  });

  it("does not find inherited properties of objects", () => {
    const entities = { ...NO_ENTITIES, stories: { cart } };
    const snapshot = { type: "snapshot", sequence: 9, entities, token: "t", version: "1" } as const;
    const { known: first } = result(applyMessage(undefined, snapshot));
    const changes = [{ kind: "stories", id: "pay", value: pay }] as const;
    const { known: after } = result(applyMessage(first, { type: "change", sequence: 10, changes }));
    for (const { stories, epics } of [first.entities, after.entities]) {
      for (const id of ["constructor", "toString", "__proto__"]) {
        expect([stories[id], epics[id]], id).toEqual([undefined, undefined]);
      }
    }
  });

  it("applies the next change and keeps every other entity", () => {
    const running = { ...cart, state: "running" } as const;
    const { known: after, changed } = result(
      applyMessage(known, {
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

  it("removes an entity", () => {
    const changes = [{ kind: "stories", id: "pay", value: null }] as const;
    const { known: after } = result(applyMessage(known, { type: "change", sequence: 5, changes }));
    expect(Object.keys(after.entities.stories)).toEqual(["cart"]);
  });

  it("recognises a gap, a change from before the snapshot, and a change without a snapshot", () => {
    const change = (sequence: number) => ({ type: "change", sequence, changes: [] }) as const;
    expect(applyMessage(known, change(6))).toEqual({ is: "gap" });
    expect(applyMessage(known, change(4))).toEqual({ is: "old" });
    expect(applyMessage(undefined, change(1))).toEqual({ is: "gap" });
  });
});

function result(result: ApplyResult): Extract<ApplyResult, { is: "applied" }> {
  if (result.is !== "applied") throw new Error(`It was not result: ${result.is}.`);
  return result;
}
