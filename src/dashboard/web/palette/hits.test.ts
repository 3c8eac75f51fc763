import { expect, it } from "vitest";
import { hitItems } from "./hits.ts";

it("links to the journal, the log and the task, and repeats nothing that is shown", () => {
  const items = hitItems(
    [
      { kind: "story", story: "cart", title: "Cart", text: "Cart" },
      { kind: "task", story: "cart", task: "table", title: "Table", text: "Store carts" },
      { kind: "journal", story: "cart", title: "decision: Cents", text: "Cents, not floats" },
      { kind: "log", story: "cart", run: "r1", title: "Log", text: "npm test" },
      { kind: "log", story: "auto-1", run: "r2", title: "Log", text: "npm test" },
    ],
    [{ key: "story cart" }],
  );
  expect(items.map((item) => [item.title, item.about, item.is === "place" && item.href])).toEqual([
    ["Store carts", "cart", "/story/cart?task=table"],
    ["Cents, not floats", "Journal of cart", "/story/cart/journal"],
    ["npm test", "Log of cart", "/story/cart/log?run=r1"],
    ["npm test", "Log of auto-1", "/pool"],
  ]);
});
