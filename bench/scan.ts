// What one change costs in a long task list, from the file to the tasks that can be started.

import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createTaskList } from "../src/claude/tasks/list.ts";
import { observeList } from "../src/pool/list/follow-list.ts";
import { newTaskBoard } from "../src/tasks/board.ts";
import { boundFigure, median, ratioFigure, timed, type Figure } from "./table.ts";

const TASKS = 10_000;
const TURNS = 300;

export async function scanFigures(folder: string): Promise<Figure[]> {
  const list = join(folder, "many-tasks");
  createTaskList(
    list,
    Array.from({ length: TASKS }, (_, at) => newTask(at + 1, "pending")),
  );
  const board = newTaskBoard((id) => `${list}/${id}.json`);
  let onNotice = (): void => undefined;
  const observer = await observeList(list, {
    pollMs: 600_000,
    onChange(changes) {
      for (const { id, entry } of changes) board.put(id, entry);
      if (board.problems().length > 0) throw new Error("Something is wrong with the list.");
      if (board.eligible().length === 0) throw new Error("Nothing can be started.");
      onNotice();
    },
    onError(error) {
      throw error;
    },
  });
  const floors: number[] = [];
  const ours: number[] = [];
  for (let turn = -20; turn < TURNS; turn++) {
    const number = 1 + (((turn + 20) * 31) % TASKS);
    const path = join(list, `${number}.json`);
    // Earlier file events must have arrived before the measurement.
    const noticed = new Promise<void>((resolve) => {
      onNotice = resolve;
    });
    const before = board.get(String(number));
    writeFileSync(path, JSON.stringify(newTask(number, turn % 2 === 0 ? "completed" : "pending")));
    await noticed;
    // As if no event had arrived: the change is processed again.
    board.put(String(number), before);
    const floorMs = await timed(() => JSON.parse(readFileSync(path, "utf8")) as unknown);
    const oursMs = await timed(() => observer.reread([String(number)]));
    if (turn < 0) continue;
    floors.push(floorMs);
    ours.push(oursMs);
  }
  const allMs = await timed(() => observer.compareAll());
  observer.close();
  rmSync(list, { recursive: true, force: true });
  return [
    ratioFigure(
      `one change in a list of ${TASKS} tasks, against reading that file`,
      median(floors),
      median(ours),
      3,
    ),
    boundFigure(`  the slow look behind it, at all names and times`, allMs, 1000),
  ];
}

/** Chains of ten. */
const newTask = (number: number, status: "pending" | "completed") => ({
  id: String(number),
  subject: `Do part ${number}`,
  description: "A paragraph that says what is to be done and why. ".repeat(6),
  status,
  blocks: [],
  blockedBy: number % 10 === 1 ? [] : [String(number - 1)],
});
