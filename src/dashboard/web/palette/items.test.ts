import { describe, expect, it } from "vitest";
import { aShop, nothingYet } from "../../../../test/support/page/fixture.ts";
import { paletteItems, textOf, type CurrentPage } from "./items.ts";
import { PAGES } from "../keys/pages.ts";
import { best, score } from "./match.ts";

const find = (query: string, page?: CurrentPage): string[] =>
  best(query, paletteItems(aShop(), page), textOf, 5).map(({ key }) => key);

describe("the palette", () => {
  it("finds stories, epics, tasks, pages and the pool's tasks", () => {
    expect(find("prices with tax")[0]).toBe("story checkout--prices");
    expect(find("epic accounts")[0]).toBe("epic accounts");
    expect(find("round once")[0]).toBe("task checkout--prices/round-half-even");
    expect(find("timeline")[0]).toBe("page /timeline");
    expect(find("staging buckets")[0]).toBe("pool 17");
  });

  it("offers exactly the actions for the state", () => {
    expect(find("stop prices")[0]).toBe("stop checkout--prices");
    expect(find("resume profile")[0]).toBe("resume accounts--profile");
    expect(find("answer pay")[0]).toBe("answer checkout--payment");
    expect(find("start old import")).not.toContain("run old-imports");
    expect(find("stop checkout")).toContain("epic-stop checkout");
    expect(find("stop session auto-1")[0]).toBe("session-stop saga-auto-1");
    expect(find("answer staging")[0]).toBe("task-release 17");
    expect(find("drain")[0]).toBe("pool-drain auto-3c1d");
  });

  it("does not offer to drain a draining pool, or to stop an ended one", () => {
    const shop = aShop();
    const keysWith = (state: string): string[] => {
      const [pool] = Object.values(shop.pool);
      if (pool === undefined) throw new Error("The shop has no pool.");
      const daemons = pool.daemons.map((daemon) => ({ ...daemon, state }));
      return paletteItems({ ...shop, pool: { [pool.list]: { ...pool, daemons } } })
        .map(({ key }) => key)
        .filter((key) => /^pool-(?:drain|stop)/.test(key));
    };
    expect(keysWith("running")).toEqual(["pool-drain auto-3c1d", "pool-stop auto-3c1d"]);
    expect(keysWith("draining")).toEqual(["pool-stop auto-3c1d"]);
    for (const state of ["ended", "died"]) expect(keysWith(state)).toEqual([]);
  });

  it("starts with the actions of the current story", () => {
    expect(find("", { story: "accounts--sign-in" }).slice(0, 2)).toEqual([
      "accept accounts--sign-in",
      "reject accounts--sign-in",
    ]);
  });

  it("asks how many stories to run at once, and offers that first on the epic's page", () => {
    const [first] = paletteItems(aShop(), { epic: "accounts" });
    expect(first).toMatchObject({
      key: "epic-run accounts",
      is: "ask",
      question: { about: "run-epic", epic: "accounts" },
    });
  });

  it("does not stop sessions of other projects: the command would stop a story of this one", () => {
    const { sessions, ...rest } = aShop();
    const stops = (isHere: boolean): number => {
      const there = Object.values(sessions).map((one) => ({ ...one, isHere }));
      const byName = Object.fromEntries(there.map((one) => [one.name, one] as const));
      const items = paletteItems({ ...rest, sessions: byName });
      return items.filter(({ key }) => key.startsWith("session-stop ")).length;
    };
    expect([stops(true), stops(false)]).toEqual([3, 0]);
  });

  it("always has the pages and what can be created, and offers to add a task if there is a list", () => {
    expect(paletteItems(nothingYet())).toHaveLength(PAGES.length + 2);
    expect(paletteItems(aShop()).filter(({ key }) => key === "task-add")).toHaveLength(1);
  });
});

describe("score", () => {
  it("requires every word, in any order, and prefers whole words to scattered letters", () => {
    expect(score("tax price", "Prices with tax")).toBeDefined();
    expect(score("tax zebra", "Prices with tax")).toBeUndefined();
    const whole = score("pay", "Pay by card") ?? 0;
    expect(whole).toBeGreaterThan(score("pay", "Prices and yields") ?? 0);
  });

  it("prefers the shorter of two equal matches", () => {
    expect(score("cart", "Cart") ?? 0).toBeGreaterThan(score("cart", "Cart that survives") ?? 0);
  });
});
