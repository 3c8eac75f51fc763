// Many workers on one machine: an epic whose stories are all run at once by real agents, with the dashboard open. The
// floor is the same agents alone, all at once.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scriptedAgent } from "../src/rehearsal/scripted-agent.ts";
import { stepsOfTask } from "../src/rehearsal/steps.ts";
import { openStore } from "../src/store/file-store.ts";
import { startShipped, p95, type ShippedDashboard } from "./large-project.ts";
import { watchProcesses, type Cost } from "./processes.ts";
import {
  newScene,
  runBare,
  threeTasks,
  warmUp,
  type Bench,
  type Scene,
  type SceneStory,
} from "./scene.ts";
import { boundFigure, countFigure, ratioFigure, timed, type Figure } from "./table.ts";

const EPIC = "crowd";
const script = scriptedAgent((taskId) =>
  stepsOfTask(taskId, [{ write: `work/${taskId}.md`, content: `${taskId} is done.\n` }]),
);

/** Includes the script of a page that watches. */
type CrowdBench = Bench & { readonly page: string };

export async function crowdFigures(bench: CrowdBench, size: number): Promise<Figure[]> {
  const stories = Array.from({ length: size }, (_, at) => newStory(at));
  const floorMs = await bareCrowd(bench, stories);
  const { ms, lagsMs, workers, agents, rest } = await sagaCrowd(bench, stories);
  const name = `${size} workers at once`;
  return [
    ratioFigure(`${name}, against their agents alone`, floorMs, ms, 1.4),
    countFigure(`  memory of a worker beside its agent`, most(workers), "MB", 100),
    countFigure(`  memory of its agent`, most(agents), "MB"),
    boundFigure(`  CPU of a worker, for a story`, cpuOf(workers) / size, 1000),
    boundFigure(`  CPU of its agent`, cpuOf(agents) / size),
    boundFigure(`  CPU of the dashboard and the epic's run, for a story`, cpuOf(rest) / size, 500),
    boundFigure(`  from an event in a log until the page has it, p95`, p95(lagsMs), 500),
  ];
}

const newStory = (at: number): SceneStory => ({
  id: `${EPIC}--part-${at}`,
  tasks: threeTasks(`part-${at}-`),
  writeFiles: [`work/part-${at}-*`],
});

async function bareCrowd(bench: Bench, stories: readonly SceneStory[]): Promise<number> {
  const scene = await newScene(bench, stories, script);
  // Watching costs time, here as there.
  const processes = watchProcesses(join(scene.project, ".."), [bench.claude]);
  const ms = await timed(() => Promise.all(stories.map((story) => runBare(bench, scene, story))));
  processes.end();
  await scene.model.close();
  return ms;
}

interface Crowd {
  readonly ms: number;
  readonly lagsMs: readonly number[];
  readonly workers: readonly Cost[];
  readonly agents: readonly Cost[];
  /** The dashboard, and the process that starts the workers. */
  readonly rest: readonly Cost[];
}

async function sagaCrowd(bench: CrowdBench, stories: readonly SceneStory[]): Promise<Crowd> {
  const scene = await newScene(bench, stories, script);
  writeEpic(scene, stories);
  await warmUp(bench, scene);
  const home = join(scene.project, "..");
  // With the sessions of the workers in sight.
  const dashboard = await startShipped(bench.saga, scene.project, home, scene.env);
  // With the first story.
  const page = await openPage(bench.page, dashboard, stories.length + 1);
  const [worker, runner, server] = commandsOf(bench.saga);
  const processes = watchProcesses(home, [worker, runner, server, bench.claude]);
  try {
    const ms = await timed(() => runEpic(bench, scene, stories.length));
    await mustBeDone(scene, stories);
    const costs = processes.end();
    const of = (word: string): readonly Cost[] => costs.get(word) ?? [];
    const lagsMs = await page.end();
    return {
      ms,
      lagsMs,
      workers: of(worker),
      agents: of(bench.claude),
      rest: [...of(runner), ...of(server)],
    };
  } finally {
    processes.end();
    page.giveUp();
    await dashboard.end();
    await scene.model.close();
  }
}

const commandsOf = (saga: string): [string, string, string] => [
  `${saga} worker`,
  `${saga} epic`,
  `${saga} dashboard`,
];

function writeEpic({ project }: Scene, stories: readonly SceneStory[]): void {
  const folder = join(project, ".saga/epics", EPIC);
  mkdirSync(folder, { recursive: true });
  const children = stories.map(({ id }) => ({ id, blockedBy: [] }));
  const epic = { id: EPIC, title: "A crowd", description: "All at once.", children };
  writeFileSync(join(folder, "epic.json"), JSON.stringify(epic));
}

async function runEpic({ saga }: Bench, { project, env }: Scene, size: number): Promise<void> {
  const words = [saga, "epic", "run", EPIC, `--parallel=${size}`, `-C${project}`];
  const child = spawn(process.execPath, words, { env, stdio: "ignore", detached: true });
  await new Promise((resolve) => child.once("exit", resolve));
}

interface Page {
  /** The delay of each event. */
  readonly end: () => Promise<readonly number[]>;
  /** Ends it without a result, after a failed measurement. */
  readonly giveUp: () => void;
}

/** Beside us and not in us: the scripted model has enough to do with its agents. What is detached is in a session of
 *  its own, and the system shares its time out by sessions. */
async function openPage(
  script: string,
  { address, port }: ShippedDashboard,
  stories: number,
): Promise<Page> {
  const words = [script, address, String(port), String(stories)];
  const child = spawn(process.execPath, words, {
    detached: true,
    stdio: ["pipe", "pipe", "inherit"],
  });
  const closed = once(child, "close");
  let text = "";
  child.stdout.setEncoding("utf8");
  await new Promise<void>((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`The page ended with ${code}.`)));
    child.stdout.on("data", (chunk: string) => {
      text += chunk;
      if (text.startsWith(READY)) resolve();
    });
  });
  return {
    async end() {
      child.stdin.end();
      await closed;
      return JSON.parse(text.slice(READY.length)) as number[];
    },
    giveUp: () => void child.kill("SIGKILL"),
  };
}

const READY = "ready\n";

async function mustBeDone({ project }: Scene, stories: readonly SceneStory[]): Promise<void> {
  const store = openStore(project);
  for (const { id } of stories) {
    const runs = await store.listRuns(id);
    const [run] = runs;
    if (runs.length === 1 && run?.outcome === "done") continue;
    const ends = runs.map(({ outcome, reason }) => `${outcome ?? "open"} (${reason ?? ""})`);
    throw new Error(`${id} ended as: ${ends.join(", ") || "nothing"}.`);
  }
}

const cpuOf = (costs: readonly Cost[]): number => costs.reduce((sum, { cpuMs }) => sum + cpuMs, 0);
const most = (costs: readonly Cost[]): number => Math.max(0, ...costs.map(({ peakMb }) => peakMb));
