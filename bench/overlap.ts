// What `epic.overlap` costs and gains: an epic of stories that do not declare their files, some of which change the same
// lines, is run and merged by real agents. With "avoid" each runs alone; with "watch" all run at once, and the ones that
// conflict are given back to their agents.

import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scriptedAgent } from "../src/rehearsal/scripted-agent.ts";
import { stepsOfTask } from "../src/rehearsal/steps.ts";
import { openStore } from "../src/store/file-store.ts";
import { CONFLICT_TASK } from "../src/story/plan/fix-task.ts";
import { taskSchema } from "../src/story/definition/task.ts";
import { newScene, type Bench, type Scene, type SceneStory } from "./scene.ts";
import { countFigure, ratioFigure, timed, type Figure } from "./table.ts";

const EPIC = "overlap";
/** The file that each story changes: three share one, and two another. */
const FILES = ["all.txt", "all.txt", "all.txt", "pair.txt", "pair.txt", "six.txt", "seven.txt"];
/** How long an agent thinks about its task, and about a conflict. Real ones take minutes. */
const TASK_SECONDS = 10;
const CONFLICT_SECONDS = 5;
/** The agents' own start and Saga's part come to each run; alone, the seven take 1.0. */
const MOST_RATIO = 0.7;

const taskOf = (at: number): string => `work-${at + 1}`;

const script = scriptedAgent((taskId) => {
  if (taskId === CONFLICT_TASK) return stepsOfTask(taskId, [{ run: KEEP_BOTH }]);
  const at = Number(taskId.slice("work-".length)) - 1;
  const run = `sleep ${TASK_SECONDS}; echo ${taskId} >> ${FILES[at]}; echo ${taskId} > ${taskId}.txt`;
  return stepsOfTask(taskId, [{ run }]);
});

/** Without the common ancestor, which git shows between both sides. */
const KEEP_BOTH = `sleep ${CONFLICT_SECONDS}; for file in all.txt pair.txt; do sed -i '/^|\\{7\\}/,/^=\\{7\\}/d; /^[<=>]\\{7\\}/d' $file; done`;

export async function overlapFigures(bench: Bench): Promise<Figure[]> {
  const avoid = await runWith(bench, "avoid");
  const watch = await runWith(bench, "watch");
  const name = `${FILES.length} stories without declared files, 5 of them in 2 shared files, until all are merged`;
  return [
    ratioFigure(`${name}: at once, against one by one`, avoid.ms, watch.ms, MOST_RATIO),
    countFigure(`  agent runs, one by one`, avoid.runs, "runs"),
    countFigure(`  agent runs, at once: each conflict takes one more`, watch.runs, "runs"),
    countFigure(`  stories that need a person`, watch.open, "stories", 0),
  ];
}

interface Result {
  readonly ms: number;
  readonly runs: number;
  readonly open: number;
}

async function runWith(bench: Bench, overlap: "watch" | "avoid"): Promise<Result> {
  const stories = FILES.map((_, at): SceneStory => ({
    id: `${EPIC}--story-${at + 1}`,
    tasks: [taskSchema.parse({ id: taskOf(at), subject: `Do ${at + 1}`, description: "A step." })],
  }));
  const scene = await newScene(bench, stories, script);
  try {
    writeEpic(scene, stories, overlap);
    const ms = await timed(() => runEpic(bench, scene, stories.length));
    const store = openStore(scene.project);
    let [runs, open] = [0, 0];
    for (const { id } of stories) {
      runs += (await store.listRuns(id)).filter(({ cycles }) => cycles > 0).length;
      if ((await store.viewStory(id)).state !== "completed") open++;
    }
    if (open === 0) mustHaveAll(scene);
    return { ms, runs, open };
  } finally {
    await scene.model.close();
  }
}

function writeEpic(
  { project, env }: Scene,
  stories: readonly SceneStory[],
  overlap: "watch" | "avoid",
): void {
  const folder = join(project, ".saga/epics", EPIC);
  mkdirSync(folder, { recursive: true });
  const children = stories.map(({ id }) => ({ id, blockedBy: [] }));
  const epic = { id: EPIC, title: "Overlap", description: "Without declared files.", children };
  writeFileSync(join(folder, "epic.json"), JSON.stringify(epic));
  writeFileSync(join(project, ".saga/config.toml"), `[epic]\noverlap = "${overlap}"\n`);
  for (const file of new Set(FILES)) writeFileSync(join(project, file), "first\n");
  const git = (...args: string[]): Buffer => execFileSync("git", args, { cwd: project, env });
  git("add", "--all");
  git("commit", "--quiet", "--message=Epic");
}

async function runEpic({ saga }: Bench, { project, env }: Scene, size: number): Promise<void> {
  const options = [`--parallel=${size}`, "--merge", "--update-checkout"];
  const words = [saga, "epic", "run", EPIC, ...options, `-C${project}`];
  const child = spawn(process.execPath, words, { env, stdio: "ignore", detached: true });
  await new Promise((resolve) => child.once("exit", resolve));
}

/** A conflict that was resolved by dropping a side would make the figures worthless. */
function mustHaveAll({ project, env }: Scene): void {
  for (const [at, file] of FILES.entries()) {
    const text = execFileSync("git", ["show", `main:${file}`], { cwd: project, env }).toString();
    if (!text.split("\n").includes(taskOf(at))) throw new Error(`${file} lacks ${taskOf(at)}.`);
  }
}
