// What is used of dagre. Its own types leave out the endings of the files they come from, which is an error
// for every program that is made of modules.
declare module "@dagrejs/dagre" {
  export class Graph {
    setGraph(label: { rankdir: "LR" | "TB"; nodesep: number; ranksep: number }): void;
    setDefaultEdgeLabel(label: () => object): void;
    setNode(id: string, size: { width: number; height: number }): void;
    setEdge(from: string, to: string): void;
    /** Its middle, once it is laid out. */
    node(id: string): { readonly x?: number; readonly y?: number };
  }
  export function layout(graph: Graph): void;
}
