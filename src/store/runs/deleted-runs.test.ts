import { appendFileSync } from "node:fs";
import { expect, it } from "vitest";
import { newProject } from "../../../test/support/project.ts";
import { runSchema } from "../../story/state/run.ts";
import { noteDeletedRun, readDeletedRuns } from "./deleted-runs.ts";

const aRun = (second: number, costUsd: number) =>
  runSchema.parse({
    id: `20261115T2148${second}123Z-1a2b`,
    story: "a",
    startedAt: "2026-11-15T21:48:00.000Z",
    costUsd,
    costByModel: { opus: costUsd },
  });

it("keeps the cost of deleted runs, each once", () => {
  const folder = `${newProject().path}/.saga/runs/a`;
  expect(readDeletedRuns(folder)).toEqual([]);
  noteDeletedRun(folder, aRun(10, 2));
  // Killed before the run was deleted.
  noteDeletedRun(folder, aRun(10, 2));
  appendFileSync(`${folder}/deleted-runs.jsonl`, '{"id":"2026');
  noteDeletedRun(folder, aRun(11, 3));
  noteDeletedRun(folder, aRun(12, 0));
  expect(readDeletedRuns(folder).map(({ costUsd, costByModel }) => [costUsd, costByModel])).toEqual(
    [
      [2, { opus: 2 }],
      [3, { opus: 3 }],
    ],
  );
});
