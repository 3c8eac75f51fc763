// Whether landing keeps workers waiting: an epic of 20 stories, 8 workers, a suite of 5 s at each story's gate and again
// when it lands. The agents are real, on a scripted model that takes its time.

import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scriptedAgent } from "../src/rehearsal/scripted-agent.ts";
import { stepsOfTask } from "../src/rehearsal/steps.ts";
import { openStore } from "../src/store/file-store.ts";
import { taskSchema } from "../src/story/definition/task.ts";
import { newScene, type Bench, type Scene, type SceneStory } from "./scene.ts";
import { boundFigure, timed, type Figure } from "./table.ts";

const EPIC = "busy";
const STORIES = 20;
const WORKERS = 8;
const LEAST_PERCENT = 90;
/** Real agents think for minutes; these wait, because 8 of them share the machine. */
const AGENT_SECONDS = 12;
const SUITE_SECONDS = 5;

const script = scriptedAgent((taskId) =>
  stepsOfTask(taskId, [
    { write: `${taskId}.md`, content: `${taskId} is done.\n` },
    { run: `sleep ${AGENT_SECONDS}` },
  ]),
);

export async function busyFigures(bench: Bench): Promise<Figure[]> {
  const stories = Array.from({ length: STORIES }, (_, at) => newStory(at));
  const scene = await newScene(bench, stories, script);
  writeEpic(scene, stories);
  try {
    const ms = await timed(() => runEpic(bench, scene));
    const runs = await runsOf(scene, stories);
    const percent = busyPercent(runs, WORKERS);
    const name = `an epic of ${STORIES} stories, ${WORKERS} workers, each story merged`;
    return [
      boundFigure(name, ms),
      {
        ...boundFigure("  time in which workers were busy, of that with work left", 0),
        ours: `${percent.toFixed(1)} %`,
        goal: `≥ ${LEAST_PERCENT} %`,
        isKept: percent >= LEAST_PERCENT,
      },
    ];
  } finally {
    await scene.model.close();
  }
}

const newStory = (at: number): SceneStory => ({
  id: `${EPIC}--part-${at}`,
  tasks: [taskSchema.parse({ id: `part-${at}`, subject: "Do it", description: "A step." })],
  writeFiles: [`part-${at}.md`],
  checks: [`sleep ${SUITE_SECONDS}`],
});

function writeEpic({ project }: Scene, stories: readonly SceneStory[]): void {
  const folder = join(project, ".saga/epics", EPIC);
  mkdirSync(folder, { recursive: true });
  const children = stories.map(({ id }) => ({ id, blockedBy: [] }));
  const epic = { id: EPIC, title: "Busy workers", description: "All at once.", children };
  writeFileSync(join(folder, "epic.json"), JSON.stringify(epic));
}

async function runEpic({ saga }: Bench, { project, env }: Scene): Promise<void> {
  const flags = [`--parallel=${WORKERS}`, "--merge", "--update-checkout", `-C${project}`];
  const child = spawn(process.execPath, [saga, "epic", "run", EPIC, ...flags], {
    env,
    stdio: "ignore",
    detached: true,
  });
  await new Promise((resolve) => child.once("exit", resolve));
}

interface Busy {
  readonly fromMs: number;
  readonly toMs: number;
}

async function runsOf({ project }: Scene, stories: readonly SceneStory[]): Promise<Busy[]> {
  const store = openStore(project);
  const busy: Busy[] = [];
  for (const { id } of stories) {
    const runs = await store.listRuns(id);
    const worked = runs.find(({ outcome }) => outcome === "done");
    if (!runs.some(({ outcome }) => outcome === "merged") || worked?.endedAt === undefined) {
      const ends = runs.map(({ outcome, reason }) => `${outcome ?? "open"} (${reason ?? ""})`);
      throw new Error(`${id} ended as: ${ends.join(", ") || "nothing"}.`);
    }
    busy.push({ fromMs: Date.parse(worked.startedAt), toMs: Date.parse(worked.endedAt) });
  }
  return busy;
}

/** Of all places for a worker that had work left, how many had a worker, over the time until the last one ended. */
function busyPercent(runs: readonly Busy[], workers: number): number {
  const times = [...new Set(runs.flatMap(({ fromMs, toMs }) => [fromMs, toMs]))].toSorted(
    (one, other) => one - other,
  );
  let busyMs = 0;
  let placesMs = 0;
  for (const [at, fromMs] of times.slice(0, -1).entries()) {
    const ms = (times[at + 1] ?? fromMs) - fromMs;
    const running = runs.filter((run) => run.fromMs <= fromMs && run.toMs > fromMs).length;
    const left = runs.filter((run) => run.toMs > fromMs).length;
    busyMs += ms * running;
    placesMs += ms * Math.min(workers, left);
  }
  return (100 * busyMs) / placesMs;
}
