import { describe, expect, it } from "vitest";
import { aCard } from "../../../../test/support/page/fixture.ts";
import { NO_ENTITIES } from "./entities.ts";
import { createStore } from "./store.ts";

const cart = aCard("cart", "Cart", "ready");
const pay = aCard("pay", "Pay", "ready");
const snapshot = (version = "1") =>
  ({
    type: "snapshot",
    sequence: 1,
    entities: { ...NO_ENTITIES, stories: { cart, pay } },
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
  it("notifies once per frame, and only the watchers of what changed", () => {
    const { store, frame } = storeWithFrames();
    store.receive(snapshot());
    frame();
    const notified: string[] = [];
    store.watchEntity("stories", "cart", () => notified.push("cart"));
    store.watchEntity("stories", "pay", () => notified.push("pay"));
    store.watchAll(() => notified.push("all"));
    for (let at = 2; at < 50; at++) store.receive(change(at, `Cart ${at}`));
    expect(notified).toEqual([]);
    expect(store.entities().stories["cart"]?.title).toBe("Cart 49");
    frame();
    expect(notified).toEqual(["cart", "all"]);
  });

  it("needs a snapshot if a change is missing, and continues with it", () => {
    const { store } = storeWithFrames();
    store.receive(snapshot());
    expect(store.receive(change(3, "Missed one"))).toBe(false);
    expect(store.entities().stories["cart"]?.title).toBe("Cart");
    expect(store.receive({ ...snapshot(), sequence: 3 })).toBe(true);
    expect(store.receive(change(3, "Old"))).toBe(true);
    expect(store.receive(change(4, "New"))).toBe(true);
    expect(store.entities().stories["cart"]?.title).toBe("New");
  });

  it("does not notify a watcher that has left", () => {
    const { store, frame } = storeWithFrames();
    const notified: string[] = [];
    store.watchEntity("stories", "cart", () => notified.push("cart"))();
    store.receive(snapshot());
    frame();
    expect(notified).toEqual([]);
  });

  it("notices that the server has another version", () => {
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
