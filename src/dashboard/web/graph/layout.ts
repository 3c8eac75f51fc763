// Computes the positions of nodes: dependencies on the left, or above if there is little width. Deterministic.

import { Graph, layout } from "@dagrejs/dagre";
import type { GraphInput } from "./input.ts";

export type Direction = "across" | "down";

export interface NodePosition {
  readonly x: number;
  readonly y: number;
}

export const NODE_WIDTH = 224;
export const NODE_HEIGHT = 76;

/** The upper left corner of every node, by id. */
export function positionsOf(
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

/** The zoom at which the graph fits into the space, at most 1. */
export function fitOf(positions: ReadonlyMap<string, NodePosition>, space: NodeSize): number {
  const all = [...positions.values()];
  const width = Math.max(...all.map(({ x }) => x)) - Math.min(...all.map(({ x }) => x));
  const height = Math.max(...all.map(({ y }) => y)) - Math.min(...all.map(({ y }) => y));
  return Math.min(1, space.width / (width + NODE_WIDTH), space.height / (height + NODE_HEIGHT));
}

/** The direction with the larger zoom. If equal: left to right, like text. */
export function directionFor(graph: GraphInput, space: NodeSize): Direction {
  if (graph.nodes.length === 0) return "across";
  const across = fitOf(positionsOf(graph, "across"), space);
  return fitOf(positionsOf(graph, "down"), space) > across ? "down" : "across";
}

/** The initial view of a graph that does not fit: at its first node, centred across the direction. */
export function startOf(
  positions: ReadonlyMap<string, NodePosition>,
  { direction, space, zoom }: { direction: Direction; space: NodeSize; zoom: number },
): NodePosition {
  const along = direction === "across" ? "x" : "y";
  const [first] = [...positions.values()].toSorted((one, other) => one[along] - other[along]);
  const { x = 0, y = 0 } = first ?? {};
  const middle = (size: number, at: number, node: number): number =>
    size / 2 - (at + node / 2) * zoom;
  return direction === "across"
    ? { x: MARGIN - x * zoom, y: middle(space.height, y, NODE_HEIGHT) }
    : { x: middle(space.width, x, NODE_WIDTH), y: MARGIN - y * zoom };
}

const MARGIN = 12;

/** The library stores nodes in plain objects, where names like `constructor` are taken. */
const nameOf = (id: string): string => `node ${id}`;
