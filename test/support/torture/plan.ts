// A project and a schedule of failures, drawn from a seed. Pure: the same seed gives the same schedule on every machine.

import type { Chance } from "../seeded.ts";

export interface PlannedTask {
  readonly id: string;
  readonly blockedBy: readonly string[];
  readonly hasChecks: boolean;
  /** Its agent also writes into the journal. */
  readonly decides: boolean;
}

export interface PlannedStory {
  readonly id: string;
  readonly blockedBy: readonly string[];
  readonly tasks: readonly PlannedTask[];
  readonly hasWriteSet: boolean;
  readonly hasChecks: boolean;
}

export interface ProjectPlan {
  readonly delivery: "story-pr" | "epic-branch";
  /** `pushed`: stories go there. `idle`: there is one, and nothing is pushed to it. */
  readonly remote: "none" | "idle" | "pushed";
  readonly mayResume: boolean;
  readonly stories: readonly PlannedStory[];
  /** Loose tasks: each may wait for an earlier one. */
  readonly pool: readonly { readonly id: string; readonly blockedBy: readonly string[] }[];
  /** The maximum thinking time of an agent; the actual time varies. */
  readonly slownessMs: number;
}

/** The possible steps, with their weights. */
const WEIGHTS = {
  "start a story": 3,
  "resume a story": 3,
  "start the epic": 2,
  "start the pool": 2,
  "start the dashboard": 2,
  "kill a worker": 6,
  "kill an agent": 5,
  "kill the tmux server": 2,
  "kill the dashboard": 1,
  "cut the power": 4,
  "kill the pool's daemon": 3,
  "kill a pool worker": 3,
  "kill the epic's run": 3,
  "stop a story": 2,
  "stop everything": 1,
  "stop the epic": 1,
  "stop the pool": 1,
  "fill the disk": 3,
  "make a folder read-only": 3,
  "move the clock": 2,
  "move the times of files": 1,
  "edit a description": 2,
  "edit a journal": 2,
  "add a task": 2,
  "add a pool task": 2,
  "edit in a worktree": 3,
  "edit in the checkout": 1,
  "remove a worktree": 2,
  "delete a branch": 1,
  "commit on main": 3,
  "collect garbage": 1,
  clean: 3,
  recover: 2,
  verify: 2,
  "accept and merge": 4,
  "discard a story": 1,
  "list snapshots": 1,
} as const;

export type StepKind = keyof typeof WEIGHTS;
export const STEP_KINDS = Object.keys(WEIGHTS) as StepKind[];

export interface Step {
  readonly kind: StepKind;
  /** Runs after this many events: turns of agents, lines in the records of runs. */
  readonly after: number;
  /** And a little later, so that it hits different places. */
  readonly thenMs: number;
  /** The choice among the candidates. */
  readonly pick: number;
  /** The amount, if the step has one. */
  readonly amount: number;
  /** The process that it starts is killed at that effect; undefined: it is not killed. */
  readonly doomAt: number | undefined;
  /** Whether the next step waits for its command to end. */
  readonly isAwaited: boolean;
}

export interface Schedule {
  readonly seed: number;
  readonly project: ProjectPlan;
  readonly steps: readonly Step[];
}

export interface Bounds {
  readonly stories: number;
  readonly fewest: number;
  readonly most: number;
}

export const WHOLE: Bounds = { stories: 4, fewest: 8, most: 18 };
export const SHORT: Bounds = { stories: 2, fewest: 5, most: 7 };

export function drawSchedule(chance: Chance, bounds: Bounds): Schedule {
  const project = drawProject(chance, bounds.stories);
  const count = bounds.fewest + chance.below(bounds.most - bounds.fewest + 1);
  const steps: Step[] = [];
  for (let at = 0; at < count; at++) {
    // Every third step starts something, so that there is something to disturb.
    const drawn = at % 3 === 0 ? pickOf(chance, STARTS) : drawKind(chance);
    const needed = NEEDED[drawn];
    const isThere = needed === undefined || steps.some(({ kind }) => kind === needed);
    steps.push(drawStep(chance, isThere ? drawn : needed));
  }
  return { seed: chance.seed, project, steps };
}

/** The step that must come first, or this one has no effect. */
const NEEDED: Partial<Record<StepKind, StepKind>> = {
  "kill the dashboard": "start the dashboard",
  "kill the pool's daemon": "start the pool",
  "kill a pool worker": "start the pool",
  "stop the pool": "start the pool",
  "kill the epic's run": "start the epic",
  "stop the epic": "start the epic",
};

const STARTS = [
  "start a story",
  "start the epic",
  "start the epic",
  "start the pool",
  "resume a story",
] as const;

function drawProject(chance: Chance, most: number): ProjectPlan {
  const isLikely = (percent: number): boolean => chance.below(100) < percent;
  const names = ["cart", "till", "mail", "shelf"].slice(0, 2 + chance.below(most - 1));
  const stories = names.map((name, at): PlannedStory => {
    const tasks = Array.from({ length: 1 + chance.below(3) }, (_, nth): PlannedTask => {
      const earlier = nth > 0 && isLikely(60) ? [`${name}-${nth}`] : [];
      return {
        id: `${name}-${nth + 1}`,
        blockedBy: earlier,
        hasChecks: isLikely(40),
        decides: isLikely(25),
      };
    });
    const earlier = names.slice(0, at).filter(() => isLikely(35));
    return {
      id: `shop--${name}`,
      blockedBy: earlier.map((one) => `shop--${one}`),
      tasks,
      hasWriteSet: isLikely(50),
      hasChecks: isLikely(50),
    };
  });
  const pool = Array.from({ length: 1 + chance.below(3) }, (_, at) => ({
    id: String(at + 1),
    blockedBy: at > 0 && isLikely(40) ? [String(at)] : [],
  }));
  return {
    delivery: pickOf(chance, ["story-pr", "epic-branch"]),
    remote: pickOf(chance, ["none", "none", "idle", "pushed"]),
    mayResume: isLikely(40),
    stories,
    pool,
    slownessMs: pickOf(chance, [50, 300, 800]),
  };
}

function drawKind({ below }: Chance): StepKind {
  const all = Object.values(WEIGHTS).reduce<number>((sum, weight) => sum + weight, 0);
  let left = below(all);
  for (const kind of STEP_KINDS) {
    left -= WEIGHTS[kind];
    if (left < 0) return kind;
  }
  throw new Error("The weights do not add up.");
}

function drawStep({ below }: Chance, kind: StepKind): Step {
  const isSoon = below(3) === 0;
  const isDoomed = below(5) < 2;
  return {
    kind,
    after: isSoon ? 0 : 1 + below(14),
    thenMs: below(250),
    pick: below(1000),
    amount: below(1000),
    doomAt: isDoomed ? 1 + below(below(2) === 0 ? 40 : 160) : undefined,
    isAwaited: below(5) > 1,
  };
}

function pickOf<T>({ below }: Chance, choices: readonly T[]): T {
  return choices[below(choices.length)] as T;
}

/** A line for people. */
export function stepLine({ kind, after, thenMs, pick, amount, doomAt, isAwaited }: Step): string {
  const when = after === 0 ? `after ${thenMs} ms` : `after ${after} happenings and ${thenMs} ms`;
  const doom = doomAt === undefined ? "" : `, killed at effect ${doomAt}`;
  return `${kind}, ${when} (pick ${pick}, amount ${amount}${doom}${isAwaited ? "" : ", not awaited"})`;
}

export function projectLines({
  delivery,
  remote,
  mayResume,
  stories,
  pool,
}: ProjectPlan): string[] {
  const named = (id: string, after: readonly string[]): string =>
    after.length === 0 ? id : `${id} after ${after.join(", ")}`;
  return [
    `${delivery}, remote: ${remote}${mayResume ? ", resumes by itself" : ""}`,
    ...stories.map((story) => {
      const more = [story.hasWriteSet && "write set", story.hasChecks && "checks"].filter(Boolean);
      const tasks = story.tasks.map((task) => named(task.id, task.blockedBy)).join(", ");
      return `${named(story.id, story.blockedBy)}: ${[tasks, ...more].join("; ")}`;
    }),
    `pool: ${pool.map(({ id, blockedBy }) => named(id, blockedBy)).join(", ")}`,
  ];
}
