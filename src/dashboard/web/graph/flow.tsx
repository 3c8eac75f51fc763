import {
  Background,
  BackgroundVariant,
  Controls,
  MarkerType,
  ReactFlow,
  type Edge,
} from "@xyflow/react";
import "@xyflow/react/dist/base.css";
import "./flow.css";
import { useLayoutEffect, useMemo, useRef, useState } from "react";
import { FlowNode, type FlowNodeType } from "./flow-node.tsx";
import type { GraphProps } from "./graph.tsx";
import type { GraphInput } from "./input.ts";
import {
  directionFor,
  fitOf,
  NODE_HEIGHT,
  NODE_WIDTH,
  positionsOf,
  startOf,
  type Direction,
  type NodeSize,
} from "./layout.ts";

const nodeTypes = { card: FlowNode };
/** The smallest text, of 13 pixels, is then 12 high. A larger graph is moved by dragging, or zoomed by the person. */
const LEGIBLE = 12 / 13;
/** Does not enlarge small graphs, keeps the text legible, and keeps clear of the controls. */
const FIT = {
  padding: { x: 0.05, top: 0.05, bottom: "60px" },
  minZoom: LEGIBLE,
  maxZoom: 1,
} as const;
const CONTROLS_HEIGHT = 60;
const hidden = { hideAttribution: true };

/** Measured before it is drawn: the size decides on the direction of the graph. */
export function Flow(props: GraphProps) {
  const ref = useRef<HTMLDivElement>(null);
  const [space, setRoom] = useState<NodeSize>();
  useLayoutEffect(() => {
    const { clientWidth = 0, clientHeight = 0 } = ref.current ?? {};
    setRoom({ width: clientWidth, height: clientHeight - CONTROLS_HEIGHT });
  }, []);
  return (
    <div ref={ref} className="relative h-full w-full">
      {space && <FlowIn {...props} space={space} />}
    </div>
  );
}

function FlowIn({ graph, label, onChoose, onMeasured, space }: GraphProps & { space: NodeSize }) {
  // Once: a graph must not change its direction while a person looks at it.
  const [direction] = useState(() => directionFor(graph, space));
  // Too large to be legible as a whole: start at the first node.
  const [start] = useState(() => {
    const positions = positionsOf(graph, direction);
    const zoom = LEGIBLE;
    if (fitOf(positions, space) >= zoom) return undefined;
    return { ...startOf(positions, { direction, space, zoom }), zoom };
  });
  useLayoutEffect(() => onMeasured?.({ isLegible: start === undefined }), [onMeasured, start]);
  const nodes = useNodes(graph, direction);
  const edges = useMemo(() => graph.edges.map(flowEdge), [graph]);
  return (
    <>
      {start && (
        <p className="absolute right-3 bottom-3 z-10 rounded-md bg-surface px-2 py-0.5 text-xs text-soft shadow-card">
          Drag to see the rest
        </p>
      )}
      <ReactFlow
        aria-label={label}
        nodes={nodes}
        edges={edges}
        nodeTypes={nodeTypes}
        fitView={start === undefined}
        fitViewOptions={FIT}
        {...(start && { defaultViewport: start })}
        minZoom={0.15}
        maxZoom={1.6}
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        // The wheel scrolls the page; with Ctrl it zooms the graph.
        preventScrolling={false}
        zoomOnScroll={false}
        proOptions={hidden}
        onNodeClick={(_, { id }) => onChoose?.(id)}
      >
        <Background variant={BackgroundVariant.Dots} gap={22} size={1} className="flow-dots" />
        <Controls showInteractive={false} fitViewOptions={FIT} />
      </ReactFlow>
    </>
  );
}

/** Computes positions again only if nodes or edges change, not with every state. */
function useNodes(graph: GraphInput, direction: Direction): FlowNodeType[] {
  const shape = JSON.stringify([graph.nodes.map(({ id }) => id), graph.edges]);
  // oxlint-disable-next-line react/exhaustive-deps -- only the shape matters
  const positions = useMemo(() => positionsOf(graph, direction), [shape, direction]);
  return useMemo(
    () =>
      graph.nodes.map((node) => ({
        id: node.id,
        type: "card",
        position: positions.get(node.id) ?? { x: 0, y: 0 },
        width: NODE_WIDTH,
        height: NODE_HEIGHT,
        data: { node, direction },
      })),
    [graph, positions, direction],
  );
}

const flowEdge = ({ from, to, isOpen }: GraphInput["edges"][number]): Edge => ({
  id: `${from} ${to}`,
  source: from,
  target: to,
  className: isOpen ? "flow-open" : "flow-waits",
  markerEnd: { type: MarkerType.ArrowClosed, width: 16, height: 16, color: "var(--color-edge)" },
});
