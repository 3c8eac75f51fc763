// Landing: 20 finished stories that are merged at once, with a suite of 5 s. Of these none, one or two fail only together
// with another one. Beside it, in the same run, a plain loop that merges and tests one story after the other.

import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { busyFigures } from "./busy-workers.ts";
import { newLandingProject, type LandingProject } from "./landing-project.ts";
import type { Bench } from "./scene.ts";
import { countFigure, ratioFigure, timed, type Figure } from "./table.ts";

const STORIES = 20;
const SUITE_SECONDS = 5;
/** By the number of stories that fail together with another one. */
const MOST_SUITES = [3, 9, 14] as const;
const MOST_RATIO = 1.5;

export async function landingFigures(bench: Bench): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [clashes, most] of MOST_SUITES.entries()) {
    figures.push(...(await mergedAtOnce(bench, clashes, most)));
  }
  return [...figures, ...(await plainLoop(bench)), ...(await busyFigures(bench))];
}

async function mergedAtOnce(bench: Bench, clashes: number, most: number): Promise<Figure[]> {
  const project = await newProject(bench, `landing-${clashes}`, clashes);
  const ms = await timed(async () => {
    await Promise.all(project.ids.map((id) => project.saga("merge", id)));
  });
  const suites = project.suites();
  const landed = landedIn(project);
  const name = `${STORIES} stories merged at once, ${clashes} of them failing with another`;
  return [
    countFigure(`${name}: runs of a suite of ${SUITE_SECONDS} s`, suites, "runs", most),
    {
      ...countFigure("  positions of the target that the suite has not passed on", 0, "positions"),
      ours: `${project.unverified().length} of ${positionsOf(project)}`,
      goal: "0",
      isKept: project.unverified().length === 0,
    },
    {
      ...countFigure("  stories landed", landed, "stories"),
      goal: `= ${STORIES - clashes}`,
      isKept: landed === STORIES - clashes,
    },
    ratioFigure(
      `  time, against these suites alone`,
      suites * SUITE_SECONDS * 1000,
      ms,
      MOST_RATIO,
    ),
  ];
}

/** A person's script: merge, test, and undo what fails. */
async function plainLoop(bench: Bench): Promise<Figure[]> {
  const project = await newProject(bench, "landing-plain", 0);
  const ms = await timed(async () => {
    for (const id of project.ids) {
      project.git("merge", "--quiet", "--no-edit", `story/${id}`);
      execFileSync("sh", ["check.sh"], { cwd: project.path });
    }
  });
  const name = `  the same by a plain loop of merge and test`;
  return [{ ...countFigure(name, project.suites(), "runs"), peer: `${(ms / 1000).toFixed(1)} s` }];
}

const newProject = (bench: Bench, name: string, clashes: number): Promise<LandingProject> =>
  newLandingProject({
    saga: bench.saga,
    folder: join(bench.folder, name),
    stories: STORIES,
    clashes,
    suiteSeconds: SUITE_SECONDS,
  });

const landedIn = ({ git }: LandingProject): number =>
  git("ls-tree", "--name-only", "main")
    .split("\n")
    .filter((name) => /^(?:file|clash)-/.test(name)).length;

const positionsOf = ({ git }: LandingProject): number =>
  git("reflog", "show", "--format=%H", "main").split("\n").length - 1;
