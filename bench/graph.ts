import { findCycles, readyIds, type Link } from "../src/story/definition/graph.ts";
import { boundFigure, median, timed, type Figure } from "./table.ts";

/** The bounds are what beads reports for its own store. */
export async function graphFigures(): Promise<Figure[]> {
  const many: Link[] = Array.from({ length: 10_000 }, (_, at) => ({
    id: `task-${at}`,
    blockedBy: [1, 7, 50].flatMap((back) =>
      at >= back && at % 3 !== 0 ? [`task-${at - back}`] : [],
    ),
    isDone: at < 4000,
  }));
  const chain: Link[] = Array.from({ length: 5000 }, (_, at) => ({
    id: `link-${at}`,
    // Closed at its far end: the worst case, where everything is part of the cycle.
    blockedBy: [`link-${(at + 1) % 5000}`],
    isDone: false,
  }));
  const open = chain.map((link, at) => (at === 4999 ? { ...link, blockedBy: [] } : link));
  if (readyIds(many).length === 0) throw new Error("Nothing is ready.");
  if (findCycles(chain)[0]?.length !== 5000) throw new Error("The cycle was not found.");
  if (findCycles(open).length !== 0) throw new Error("A cycle was found where there is none.");
  return [
    boundFigure("ready set of 10,000 tasks", await typical(() => readyIds(many)), 30),
    boundFigure("cycle check, chain of 5,000", await typical(() => findCycles(open)), 70),
    boundFigure("cycle check, cycle of 5,000", await typical(() => findCycles(chain)), 70),
  ];
}

async function typical(act: () => unknown): Promise<number> {
  const times: number[] = [];
  for (let turn = 0; turn < 15; turn++) times.push(await timed(act));
  return median(times);
}
