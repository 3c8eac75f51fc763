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
  placesOf,
  startOf,
  type Direction,
  type NodeSize,
} from "./layout.ts";

const nodeTypes = { card: FlowNode };
/** Small graphs are not blown up to fill the room, and none lies below the controls. */
const FIT = { padding: { x: 0.05, top: 0.05, bottom: "60px" }, maxZoom: 1 } as const;
/** Titles are then 9 pixels high. What does not fit is reached by dragging, or seen whole with Fit View. */
const LEGIBLE = 0.7;
const CONTROLS_HEIGHT = 60;
const hidden = { hideAttribution: true };

/** Measured before it is drawn: the room decides which way the graph goes. */
export function Flow(props: GraphProps) {
  const ref = useRef<HTMLDivElement>(null);
  const [room, setRoom] = useState<NodeSize>();
  useLayoutEffect(() => {
    const { clientWidth = 0, clientHeight = 0 } = ref.current ?? {};
    setRoom({ width: clientWidth, height: clientHeight - CONTROLS_HEIGHT });
  }, []);
  return (
    <div ref={ref} className="h-full w-full">
      {room && <FlowIn {...props} room={room} />}
    </div>
  );
}

function FlowIn({ graph, label, onChoose, room }: GraphProps & { room: NodeSize }) {
  // Once: a graph that turns round while one looks at it is of no use.
  const [direction] = useState(() => directionFor(graph, room));
  // Too large to be legible as a whole: it begins where the work begins.
  const [start] = useState(() => {
    const places = placesOf(graph, direction);
    const zoom = LEGIBLE;
    if (fitOf(places, room) >= zoom) return undefined;
    return { ...startOf(places, { direction, room, zoom }), zoom };
  });
  const nodes = useNodes(graph, direction);
  const edges = useMemo(() => graph.edges.map(flowEdge), [graph]);
  return (
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
      // The page scrolls with the wheel; the graph zooms with it only when Ctrl is held.
      preventScrolling={false}
      zoomOnScroll={false}
      proOptions={hidden}
      onNodeClick={(_, { id }) => onChoose?.(id)}
    >
      <Background variant={BackgroundVariant.Dots} gap={22} size={1} className="flow-dots" />
      <Controls showInteractive={false} fitViewOptions={FIT} />
    </ReactFlow>
  );
}

/** Places are worked out again only when the shape changes, not with every state. */
function useNodes(graph: GraphInput, direction: Direction): FlowNodeType[] {
  const shape = JSON.stringify([graph.nodes.map(({ id }) => id), graph.edges]);
  // oxlint-disable-next-line react/exhaustive-deps -- the shape is what counts of the graph
  const places = useMemo(() => placesOf(graph, direction), [shape, direction]);
  return useMemo(
    () =>
      graph.nodes.map((node) => ({
        id: node.id,
        type: "card",
        position: places.get(node.id) ?? { x: 0, y: 0 },
        width: NODE_WIDTH,
        height: NODE_HEIGHT,
        data: { node, direction },
      })),
    [graph, places, direction],
  );
}

const flowEdge = ({ from, to, isOpen }: GraphInput["edges"][number]): Edge => ({
  id: `${from} ${to}`,
  source: from,
  target: to,
  className: isOpen ? "flow-open" : "flow-waits",
  markerEnd: { type: MarkerType.ArrowClosed, width: 16, height: 16, color: "var(--color-edge)" },
});
