import { expect, it } from "vitest";
import type { GraphInput } from "./input.ts";
import { directionFor, fitOf, positionsOf } from "./layout.ts";

const chain = (...ids: string[]) =>
  ({
    nodes: ids.map((id) => ({ id })),
    edges: ids.slice(1).map((to, at) => ({ from: ids[at], to })),
  }) as unknown as GraphInput;

it("puts a dependency to the left, or above", () => {
  const graph = chain("constructor", "b");
  const across = positionsOf(graph, "across");
  expect(across.get("constructor")?.x).toBeLessThan(across.get("b")?.x ?? 0);
  const down = positionsOf(graph, "down");
  expect(down.get("constructor")?.y).toBeLessThan(down.get("b")?.y ?? 0);
});

it("takes the direction in which the graph is shown larger", () => {
  const graph = chain("a", "b", "c");
  expect(directionFor(graph, { width: 1200, height: 150 })).toBe("across");
  expect(directionFor(graph, { width: 300, height: 900 })).toBe("down");
  expect(directionFor(chain(), { width: 1, height: 1 })).toBe("across");
});

it("never shows a graph larger than it is", () => {
  expect(fitOf(positionsOf(chain("a")), { width: 9000, height: 9000 })).toBe(1);
  expect(fitOf(positionsOf(chain("a", "b")), { width: 100, height: 9000 })).toBeLessThan(1);
});
