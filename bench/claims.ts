// What a claim costs when eight processes compete for the same tasks, and whether each task has one owner, by what each
// process reports.

import { rmSync } from "node:fs";
import { join } from "node:path";
import { createTaskList } from "../src/claude/tasks/list.ts";
import { gather } from "../test/support/claim-crowd.ts";
import type { ProtocolName } from "./claims-protocols.ts";
import { peersIn, peerTitle } from "./peers.ts";
import { median, milliseconds, ratioFigure, type Figure } from "./table.ts";

const PROCESSES = 8;
const REPETITIONS = 10;
const MODES = [
  { mode: "drain", tasks: 2_000, name: "draining 2,000 tasks" },
  { mode: "herd", tasks: 200, name: "woken for the same task" },
] as const;
/** Slow protocols, measured only for comparison. */
const OTHER_TASKS = 300;

type Mode = (typeof MODES)[number]["mode"];

export async function claimFigures(
  worker: string,
  folder: string,
  peers: string,
): Promise<Figure[]> {
  const figures: Figure[] = [];
  const others: readonly (readonly [ProtocolName, string])[] = [
    ["re-read", "write, read again, compare"],
    ...(peersIn(peers).load("proper-lockfile")
      ? [["proper-lockfile", peerTitle("proper-lockfile")] as const]
      : []),
  ];
  for (const { mode, tasks, name } of MODES) {
    const run = (protocol: ProtocolName, count: number): Promise<Round> =>
      runCrowd({
        words: [worker, protocol, peers],
        list: join(folder, "claims"),
        mode,
        tasks: count,
      });
    const floors: Round[] = [];
    const ours: Round[] = [];
    for (let turn = 0; turn < REPETITIONS; turn++) {
      // Alternately the other one first, so that neither always finds an idle disk.
      const pair = [
        async () => floors.push(await run("exclusive file", tasks)),
        async () => ours.push(await run("saga", tasks)),
      ];
      for (const act of turn % 2 === 0 ? pair : pair.toReversed()) await act();
    }
    const cost = (rounds: readonly Round[]): number =>
      median(rounds.map(({ perClaimMs }) => perClaimMs));
    const title = `a claim, ${PROCESSES} processes ${name}`;
    const wrong = ours.reduce((sum, round) => sum + round.wrong, 0);
    figures.push(ratioFigure(`${title}, against an exclusive file`, cost(floors), cost(ours), 1), {
      name: "  tasks claimed twice, or not at all",
      floor: "",
      ours: `${wrong} of ${tasks * REPETITIONS}`,
      ratio: "",
      goal: "0",
      isKept: wrong === 0,
    });
    for (const [protocol, other] of others) {
      const round = await run(protocol, OTHER_TASKS);
      figures.push({
        name: `  the same by ${other}`,
        floor: "",
        peer: milliseconds(round.perClaimMs),
        ours: `${round.wrong} of ${OTHER_TASKS} wrong`,
        ratio: "",
        goal: "",
        isKept: true,
      });
    }
  }
  return figures;
}

interface Round {
  readonly perClaimMs: number;
  /** Tasks that none or several processes report. */
  readonly wrong: number;
}

async function runCrowd(given: {
  readonly words: readonly string[];
  readonly list: string;
  readonly mode: Mode;
  readonly tasks: number;
}): Promise<Round> {
  const { words, list, mode, tasks } = given;
  const ids = Array.from({ length: tasks }, (_, at) => String(at + 1));
  createTaskList(list, ids.map(newTask));
  try {
    const crowd = await gather([...words, list], PROCESSES);
    const totalMs = await crowd[mode](tasks);
    const times = new Map<string, number>();
    for (const id of [...crowd.won().values()].flat()) times.set(id, (times.get(id) ?? 0) + 1);
    await crowd.end();
    return {
      perClaimMs: totalMs / tasks,
      wrong: ids.filter((id) => times.get(id) !== 1).length,
    };
  } finally {
    rmSync(list, { recursive: true, force: true });
  }
}

const newTask = (id: string) => ({
  id,
  subject: `Do part ${id}`,
  description: "A paragraph that says what is to be done and why. ".repeat(6),
  status: "pending" as const,
  blocks: [],
  blockedBy: [],
});
