import { describe, expect, it } from "vitest";
import { aCard } from "../../../../test/support/page/fixture.ts";
import { NOTHING } from "./entities.ts";
import { createStore } from "./store.ts";

const cart = aCard("cart", "Cart", "ready");
const pay = aCard("pay", "Pay", "ready");
const snapshot = (version = "1") =>
  ({
    type: "snapshot",
    sequence: 1,
    entities: { ...NOTHING, stories: { cart, pay } },
    token: "secret",
    version,
  }) as const;
const change = (sequence: number, title: string) =>
  ({
    type: "change",
    sequence,
    changes: [{ kind: "stories", id: "cart", value: { ...cart, title } }],
  }) as const;

describe("the store", () => {
  it("tells once per frame, and only whoever looks at what changed", () => {
    const { store, frame } = storeWithFrames();
    store.receive(snapshot());
    frame();
    const told: string[] = [];
    store.watchEntity("stories", "cart", () => told.push("cart"));
    store.watchEntity("stories", "pay", () => told.push("pay"));
    store.watchAll(() => told.push("all"));
    for (let at = 2; at < 50; at++) store.receive(change(at, `Cart ${at}`));
    expect(told).toEqual([]);
    expect(store.entities().stories["cart"]?.title).toBe("Cart 49");
    frame();
    expect(told).toEqual(["cart", "all"]);
  });

  it("asks for a snapshot when something is missing, and goes on with the new one", () => {
    const { store } = storeWithFrames();
    store.receive(snapshot());
    expect(store.receive(change(3, "Missed one"))).toBe(false);
    expect(store.entities().stories["cart"]?.title).toBe("Cart");
    expect(store.receive({ ...snapshot(), sequence: 3 })).toBe(true);
    expect(store.receive(change(3, "Old"))).toBe(true);
    expect(store.receive(change(4, "New"))).toBe(true);
    expect(store.entities().stories["cart"]?.title).toBe("New");
  });

  it("tells nobody who has left", () => {
    const { store, frame } = storeWithFrames();
    const told: string[] = [];
    store.watchEntity("stories", "cart", () => told.push("cart"))();
    store.receive(snapshot());
    frame();
    expect(told).toEqual([]);
  });

  it("notices that another program serves it now", () => {
    const { store } = storeWithFrames();
    store.receive(snapshot("1"));
    expect(store.isOutdated()).toBe(false);
    store.receive(snapshot("2"));
    expect(store.isOutdated()).toBe(true);
    expect(store.token()).toBe("secret");
  });
});

function storeWithFrames() {
  const waiting: (() => void)[] = [];
  const store = createStore((tell) => waiting.push(tell));
  return { store, frame: () => waiting.splice(0).forEach((tell) => tell()) };
}
