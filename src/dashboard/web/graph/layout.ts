// Where each node goes: what comes first is left and what waits is right, or above and below where there is
// little width. Deterministic for one input.

import { Graph, layout } from "@dagrejs/dagre";
import type { GraphInput } from "./input.ts";

export type Direction = "across" | "down";

export interface Place {
  readonly x: number;
  readonly y: number;
}

export const NODE_WIDTH = 212;
export const NODE_HEIGHT = 70;

/** The upper left corner of every node, by id. */
export function placesOf(
  { nodes, edges }: GraphInput,
  direction: Direction = "across",
): ReadonlyMap<string, Place> {
  const graph = new Graph();
  graph.setGraph({ rankdir: direction === "across" ? "LR" : "TB", nodesep: 20, ranksep: 46 });
  graph.setDefaultEdgeLabel(() => ({}));
  const size = { width: NODE_WIDTH, height: NODE_HEIGHT };
  for (const { id } of nodes) graph.setNode(nameOf(id), { ...size });
  for (const { from, to } of edges) graph.setEdge(nameOf(from), nameOf(to));
  layout(graph);
  return new Map(
    nodes.map(({ id }) => {
      const { x = 0, y = 0 } = graph.node(nameOf(id));
      return [id, { x: x - NODE_WIDTH / 2, y: y - NODE_HEIGHT / 2 }];
    }),
  );
}

/** The library keeps nodes in plain objects, where some names are taken: `constructor`. */
const nameOf = (id: string): string => `node ${id}`;
