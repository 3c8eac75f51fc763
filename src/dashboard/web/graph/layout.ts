// Where each node goes: what comes first is left and what waits is right, or above and below where there is
// little width. Deterministic for one input.

import { Graph, layout } from "@dagrejs/dagre";
import type { GraphInput } from "./input.ts";

export type Direction = "across" | "down";

export interface NodePosition {
  readonly x: number;
  readonly y: number;
}

export const NODE_WIDTH = 212;
export const NODE_HEIGHT = 70;

/** The upper left corner of every node, by id. */
export function placesOf(
  { nodes, edges }: GraphInput,
  direction: Direction = "across",
): ReadonlyMap<string, NodePosition> {
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

export interface NodeSize {
  readonly width: number;
  readonly height: number;
}

/** How large a graph is drawn that fits into the room; never larger than life. */
export function fitOf(places: ReadonlyMap<string, NodePosition>, room: NodeSize): number {
  const all = [...places.values()];
  const width = Math.max(...all.map(({ x }) => x)) - Math.min(...all.map(({ x }) => x));
  const height = Math.max(...all.map(({ y }) => y)) - Math.min(...all.map(({ y }) => y));
  return Math.min(1, room.width / (width + NODE_WIDTH), room.height / (height + NODE_HEIGHT));
}

/** The way that lets the graph be larger; of two alike, the one that reads like text: left to right. */
export function directionFor(graph: GraphInput, room: NodeSize): Direction {
  if (graph.nodes.length === 0) return "across";
  const across = fitOf(placesOf(graph, "across"), room);
  return fitOf(placesOf(graph, "down"), room) > across ? "down" : "across";
}

/**
 * Where to look first at a graph that does not fit: at its first node, which is left or above, and in the middle of the
 * room across its direction.
 */
export function startOf(
  places: ReadonlyMap<string, NodePosition>,
  { direction, room, zoom }: { direction: Direction; room: NodeSize; zoom: number },
): NodePosition {
  const along = direction === "across" ? "x" : "y";
  const [first] = [...places.values()].toSorted((one, other) => one[along] - other[along]);
  const { x = 0, y = 0 } = first ?? {};
  const middle = (size: number, at: number, node: number): number =>
    size / 2 - (at + node / 2) * zoom;
  return direction === "across"
    ? { x: MARGIN - x * zoom, y: middle(room.height, y, NODE_HEIGHT) }
    : { x: middle(room.width, x, NODE_WIDTH), y: MARGIN - y * zoom };
}

const MARGIN = 12;

/** The library keeps nodes in plain objects, where some names are taken: `constructor`. */
const nameOf = (id: string): string => `node ${id}`;
