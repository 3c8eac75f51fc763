// The report of a failed schedule: the project, every step with its result, and the final state.

import { join } from "node:path";
import { namesIn, textOf } from "./facts.ts";
import { processesOf, storyIds, type World } from "./world.ts";

export function describeWorld(world: World): string[] {
  const { stage, listFolder } = world;
  return [
    ...[...storyIds(world), ...namesIn(join(stage.path, ".saga/runs"))]
      .filter((id, at, all) => all.indexOf(id) === at)
      .flatMap((id) => runsOf(world, id)),
    ...gitLines(world),
    ...namesIn(listFolder)
      .filter((name) => name.endsWith(".json"))
      .map((name) => `pool ${textOf(join(listFolder, name))?.replaceAll(/\s+/g, " ")}`),
    ...processesOf(world).map(({ pid, line }) => `${pid} ${line}`),
  ];
}

interface Run {
  readonly outcome?: string;
  readonly reason?: string;
  readonly isCutOff?: boolean;
}

function runsOf({ stage }: World, storyId: string): string[] {
  const folder = join(stage.path, ".saga/runs", storyId);
  return namesIn(folder)
    .toSorted()
    .flatMap((run) => {
      const text = textOf(join(folder, run, "run.json"));
      if (text === undefined) return [`${storyId} ${run}: no run.json`];
      const { outcome = "open", reason = "", isCutOff } = JSON.parse(text) as Run;
      const warnings = (textOf(join(folder, run, "events.jsonl")) ?? "")
        .split("\n")
        .filter((line) => line.includes('"warning"'))
        .map((line) => `    ${line.slice(0, 400)}`);
      return [`${storyId} ${run}: ${outcome}${isCutOff ? ", killed" : ""} ${reason}`, ...warnings];
    });
}

function gitLines({ stage }: World): string[] {
  const words = [
    "log",
    "--all",
    "--graph",
    "--format=%h %d %s [%(trailers:key=Saga-Task,valueonly,separator=%x2C)]",
  ];
  return [
    ...stage.git(...words).split("\n"),
    stage.git("worktree", "list"),
    stage.git("status", "--short"),
  ];
}
