import { describe, expect, it } from "vitest";
import { aShop } from "../../../../test/support/page/fixture.ts";
import { epicGraph, isSameGraph, taskGraph } from "./input.ts";
import { STORY_LOOKS } from "../words/states.ts";
import { directionFor, NODE_HEIGHT, NODE_WIDTH, positionsOf } from "./layout.ts";

const entities = aShop();
const epic = entities.epics["checkout"] ?? expect.unreachable();
const prices = entities.stories["checkout--prices"] ?? expect.unreachable();

describe("the graph of an epic", () => {
  it("has a node for each child, by its short name, with state and progress", () => {
    const { nodes } = epicGraph(epic, entities);
    expect(nodes).toHaveLength(5);
    expect(nodes[1]).toMatchObject({
      name: "prices",
      href: "/story/checkout--prices",
      look: { word: "Running" },
      progress: [2, 5],
    });
  });

  it("has open edges only from completed stories", () => {
    const { edges } = epicGraph(epic, entities);
    expect(edges).toContainEqual({ from: "checkout--cart", to: "checkout--prices", isOpen: true });
    expect(edges).toContainEqual({
      from: "checkout--prices",
      to: "checkout--confirm",
      isOpen: false,
    });
  });

  it("has a node for an unreadable story, and no edge to a missing one", () => {
    const broken = {
      ...epic,
      children: [{ id: "gone", blockedBy: ["nowhere", "gone"] }],
    };
    expect(epicGraph(broken, entities)).toMatchObject({
      nodes: [{ id: "gone", title: "Not found", look: { word: "Missing or broken" } }],
      edges: [],
    });
  });

  it("is equal while nothing visible changes", () => {
    const stories = { ...entities.stories, [prices.id]: { ...prices, costUsd: 99 } };
    const before = epicGraph(epic, entities);
    expect(isSameGraph(before, epicGraph(epic, { ...entities, stories }))).toBe(true);
    const done = { ...entities.stories, [prices.id]: { ...prices, state: "completed" as const } };
    expect(isSameGraph(before, epicGraph(epic, { ...entities, stories: done }))).toBe(false);
  });
});

it("shows a started task as running only with a live worker", () => {
  const words = (state: typeof prices.state) =>
    taskGraph({ ...prices, state }).nodes.map(({ look }) => look.word);
  expect(words("running")).toEqual(["Completed", "Completed", "Running", "Waiting", "Waiting"]);
  expect(words("failed")[2]).toBe("Unfinished");
});

describe("positions", () => {
  it("go from dependencies to dependents, without overlaps", () => {
    const graph = epicGraph(epic, entities);
    const positions = positionsOf(graph);
    for (const { from, to } of graph.edges) {
      expect((positions.get(to)?.x ?? 0) - (positions.get(from)?.x ?? 0)).toBeGreaterThan(
        NODE_WIDTH,
      );
    }
    const down = positionsOf(graph, "down");
    for (const { from, to } of graph.edges) {
      expect((down.get(to)?.y ?? 0) - (down.get(from)?.y ?? 0)).toBeGreaterThan(NODE_HEIGHT);
    }
  });

  it("exist for a cycle", () => {
    const nodes = taskGraph(prices).nodes.slice(0, 2);
    const [one, other] = nodes.map(({ id }) => id);
    const edges = [
      { from: one ?? "", to: other ?? "", isOpen: false },
      { from: other ?? "", to: one ?? "", isOpen: false },
    ];
    expect(positionsOf({ nodes, edges }).size).toBe(2);
  });

  it("exist for stories named like properties of objects", () => {
    const ids = ["constructor", "valueof", "tostring"];
    const look = { word: "Ready", tone: "idle", mark: "ring" } as const;
    const nodes = ids.map((id) => ({ id, title: id, name: id, look }));
    const edges = [{ from: "constructor", to: "valueof", isOpen: false }];
    expect([...positionsOf({ nodes, edges }).keys()]).toEqual(ids);
  });
});

it("uses the direction with the larger zoom", () => {
  const nodes = Array.from({ length: 9 }, (_, at) => ({
    id: `n${at}`,
    title: "T",
    name: "t",
    look: STORY_LOOKS.ready,
  }));
  const fan = nodes.slice(1).map(({ id }) => ({ from: "n0", to: id, isOpen: false }));
  const chain = nodes.slice(1).map(({ id }, at) => ({ from: `n${at}`, to: id, isOpen: false }));
  const phone = { width: 358, height: 280 };
  const desk = { width: 720, height: 380 };
  expect(directionFor({ nodes, edges: fan }, phone)).toBe("across");
  expect(directionFor({ nodes, edges: chain }, phone)).toBe("down");
  expect(directionFor({ nodes: nodes.slice(0, 2), edges: fan.slice(0, 1) }, desk)).toBe("across");
});
