import { Handle, Position, type Node, type NodeProps } from "@xyflow/react";
import { Link } from "wouter";
import { StateMark } from "../parts/state-mark.tsx";
import type { Tone } from "../words/states.ts";
import type { GraphNode } from "./input.ts";
import type { Direction } from "./layout.ts";

export type FlowNodeType = Node<
  { readonly node: GraphNode; readonly direction: Direction },
  "card"
>;

const EDGE: Readonly<Record<Tone, string>> = {
  idle: "border-edge",
  active: "border-active-mark",
  ask: "border-ask-mark",
  bad: "border-bad-mark",
  good: "border-edge",
};

export function FlowNode({ data: { node, direction } }: NodeProps<FlowNodeType>) {
  const { title, name, look, progress, href } = node;
  const isAcross = direction === "across";
  const body = (
    <>
      <StateMark look={look} className="mt-0.5 size-[1.1rem]" />
      <span className="min-w-0 flex-1">
        <span className="block truncate text-[0.9333rem] font-medium text-ink">{title}</span>
        <span className="block truncate font-mono text-[0.8667rem] text-faint">{name}</span>
        <span className="figure block truncate text-[0.8667rem] text-soft">
          {look.word}
          {progress && ` · ${progress[0]}/${progress[1]} tasks`}
        </span>
      </span>
    </>
  );
  const shape = `nopan flex h-full w-full items-start gap-2.5 rounded-xl border bg-surface px-3 py-2 text-left leading-snug shadow-card hover:border-edge ${EDGE[look.tone]}`;
  return (
    <>
      <Handle
        type="target"
        position={isAcross ? Position.Left : Position.Top}
        isConnectable={false}
      />
      {href === undefined ? (
        <button type="button" className={shape}>
          {body}
        </button>
      ) : (
        <Link href={href} className={shape}>
          {body}
        </Link>
      )}
      <Handle
        type="source"
        position={isAcross ? Position.Right : Position.Bottom}
        isConnectable={false}
      />
    </>
  );
}
