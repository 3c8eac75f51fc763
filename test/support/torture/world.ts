// The world of one schedule: a project on a disk of its own, its agents, and the built program with a
// clock that can be set. It remembers everything that existed, to check it at the end.

import { execFileSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { processesWith } from "../../../src/machine/processes/process-tree.ts";
import { canMount } from "../disk.ts";
import { LIST } from "../pool-stage.ts";
import { aStory, anEpic, aTask, newFolder } from "../project.ts";
import { killAtHook, root, runNode, type Ended } from "../programs.ts";
import { newStage, STORY, type Stage } from "../stage.ts";
import { fileOf, lineOf, torturedAgent } from "./agent.ts";
import { knownTips, recordLines, taskTrailers } from "./facts.ts";
import type { ProjectPlan } from "./plan.ts";

export const EPIC = "shop";
const DISK_KB = 64 * 1024;
/** Longer than anything here takes on two busy cores. */
const COMMAND_MS = 120_000;

export interface Call {
  /** It is killed at that effect. */
  readonly killAt?: number | undefined;
}

export interface World {
  readonly stage: Stage;
  readonly plan: ProjectPlan;
  readonly listFolder: string;
  readonly bare: string | undefined;
  /** Runs the built program until it ends, and checks that it ended cleanly. */
  readonly saga: (words: readonly string[], call?: Call) => Promise<Ended>;
  readonly program: string;
  /** Commands that are not waited for yet. */
  readonly underWay: Set<Promise<Ended>>;
  readonly happenings: () => number;
  /** Resolves after this many more events, or when nothing happens any more. */
  readonly untilHappened: (more: number, mostMs: number) => Promise<void>;
  readonly report: (violation: string) => void;
  readonly violations: readonly string[];
  /** Every commit that was ever the tip of a branch, with the branch. */
  readonly tips: Map<string, string>;
  readonly seeTips: () => void;
  /** What a person has written, by a unique word. */
  readonly written: Map<string, Written>;
  /** Tasks that a person has added, with the story's id. */
  readonly added: Map<string, string>;
  /** Stories whose work a person has discarded: it may be done again. */
  readonly thrownAway: Set<string>;
  /** Stories whose branch a person has deleted; their worktree still has it. */
  readonly deleted: Set<string>;
  readonly trouble: { healAfter: number; heal: (() => void) | undefined };
  dashboard: RunningDashboard | undefined;
  /** No more failures, and agents do not pause. */
  isCalm: boolean;
}

export interface Written {
  readonly where: string;
  /** Its worktree, if it is in one: it is removed with that. */
  readonly worktree: string | undefined;
  isGivenUp: boolean;
}

export interface RunningDashboard {
  readonly pid: number;
  readonly port: number;
  readonly key: string;
}

/** A copy of the shipped program, in which every process loads the preload script first. */
export function makeProgram(): { readonly path: string; readonly remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), "saga-tortured-"));
  cpSync(join(root, "dist"), join(folder, "dist"), { recursive: true });
  cpSync(join(root, "package.json"), join(folder, "package.json"));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  const path = join(folder, "dist/cli/main.cjs");
  const [first, ...rest] = readFileSync(path, "utf8").split("\n");
  const preload = JSON.stringify(join(root, "test/support/torture/preload.cjs"));
  writeFileSync(path, [first, `require(${preload});`, ...rest].join("\n"));
  return { path, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

export async function newWorld(plan: ProjectPlan, seed: number, program: string): Promise<World> {
  const folder = newFolder("project");
  if (canMount) {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${DISK_KB}k`, "tmpfs", folder.path]);
    onTestFinished(() => void execFileSync("umount", ["--lazy", folder.path]));
  }
  const violations: string[] = [];
  let turns = 0;
  const decides = new Set(
    plan.stories.flatMap(({ tasks }) => tasks.filter((task) => task.decides).map(({ id }) => id)),
  );
  const stage = await newStage({
    folder,
    config: configOf(plan),
    story: { checks: ["test -d work"] },
    tasks: [aTask("form"), aTask("page", { blockedBy: ["form"] })],
    script: torturedAgent({
      seed,
      slownessMs: () => (world.isCalm ? 0 : plan.slownessMs),
      decides: (id) => decides.has(id),
      onTurn: () => void turns++,
      onBegin: (taskId, isPool) => complainIfDone(taskId, isPool),
    }),
  });
  const world: World = {
    stage,
    plan,
    program,
    listFolder: join(stage.home, "claude/tasks", LIST),
    bare: plan.remote === "none" ? undefined : join(stage.home, "shop.git"),
    saga: (words, call = {}) => callSaga(world, words, call),
    underWay: new Set(),
    happenings: () => turns + recordLines(stage.path),
    untilHappened,
    report: (violation) => void violations.push(violation),
    violations,
    tips: new Map(),
    seeTips: () => {
      for (const [commit, ref] of knownTips(stage)) {
        if (!world.tips.has(commit)) world.tips.set(commit, ref);
      }
    },
    written: new Map(),
    added: new Map(),
    thrownAway: new Set(),
    deleted: new Set(),
    trouble: { healAfter: 0, heal: undefined },
    dashboard: undefined,
    isCalm: false,
  };
  onTestFinished(() => world.trouble.heal?.());
  mkdirSync(join(stage.home, "doom"));
  planShop(world);
  return world;

  async function untilHappened(more: number, mostMs: number): Promise<void> {
    const [wanted, deadline] = [world.happenings() + more, performance.now() + mostMs];
    while (world.happenings() < wanted && performance.now() < deadline) {
      world.seeTips();
      if (processesOf(world).length === 0) return;
      await wait(20);
    }
    world.seeTips();
  }

  /** A task with a commit is done: no agent may start it again. */
  function complainIfDone(taskId: string, isPool: boolean): void {
    const story = isPool ? undefined : storyOf(world, taskId);
    if (!isPool && story === undefined) return;
    if (story !== undefined && world.thrownAway.has(story)) return;
    const wanted = isPool ? `${LIST}/${taskId}` : taskId;
    const places = isPool ? ["main"] : [`story/${story}`, targetOf(world, story ?? "")];
    const found = places.find((ref) => taskTrailers(world, ref).includes(wanted));
    if (found !== undefined)
      violations.push(`An agent was sent to do ${wanted}, which ${found} has.`);
  }
}

const configOf = ({ delivery, remote, mayResume }: ProjectPlan): string =>
  [
    `[git]\npush = "${remote === "pushed" ? "always" : "never"}"`,
    `[delivery]\nkind = "${delivery}"\nupdate_checkout = true`,
    `[recover]\nresume = ${mayResume}`,
    `[auto]\ntask_list_id = "${LIST}"\npoll_seconds = 2\nmax_attempts = 9`,
    "[notices]\nbell = false",
    "",
  ].join("\n");

function planShop(world: World): void {
  const { stage, plan, bare } = world;
  const children = plan.stories.map(({ id, blockedBy }) => ({ id, blockedBy }));
  stage.write(`.saga/epics/${EPIC}/epic.json`, anEpic(EPIC, children));
  for (const story of plan.stories) {
    const writeFiles = [`${notesOf(story.id)}/**`, `work/${shortOf(story.id)}-*.txt`];
    const more = {
      epic: EPIC,
      ...(story.hasWriteSet && { writeFiles }),
      ...(story.hasChecks && { checks: ["test -d work"] }),
    };
    stage.write(`.saga/stories/${story.id}/story.json`, aStory(story.id, more));
    for (const { id, blockedBy, hasChecks } of story.tasks) {
      const checks = hasChecks ? [`grep -qxF '${lineOf(id)}' ${fileOf(id)}`] : [];
      stage.write(`.saga/stories/${story.id}/${id}.json`, aTask(id, { blockedBy, checks }));
    }
  }
  // One story is not committed.
  stage.git("add", "--all", "--", ".", `:!.saga/stories/${STORY}`);
  stage.git("commit", "--quiet", "--message=Plan");
  if (bare !== undefined) {
    stage.git("clone", "--quiet", "--bare", stage.path, bare);
    stage.git("remote", "add", "origin", bare);
    stage.git("fetch", "--quiet", "origin");
  }
  mkdirSync(world.listFolder, { recursive: true });
  for (const { id, blockedBy } of plan.pool) {
    const task = { id, subject: `Do ${id}`, description: `How to do ${id}.`, status: "pending" };
    const whole = { ...task, blocks: [], blockedBy };
    writeFileSync(join(world.listFolder, `${id}.json`), JSON.stringify(whole, undefined, 2));
  }
}

export const shortOf = (storyId: string): string => storyId.replace(`${EPIC}--`, "");

/** The file that a person edits in a story's worktree; it is one of its allowed files. */
export const notesOf = (storyId: string): string => `notes/${shortOf(storyId)}`;

/** All stories, including those with tasks that a person added. */
export const storyIds = ({ plan }: Pick<World, "plan">): string[] => [
  ...plan.stories.map(({ id }) => id),
  STORY,
];

export const plannedTasks = ({ plan }: World, storyId: string): string[] =>
  storyId === STORY
    ? ["form", "page"]
    : (plan.stories.find(({ id }) => id === storyId)?.tasks.map(({ id }) => id) ?? []);

const storyOf = (world: World, taskId: string): string | undefined =>
  world.added.get(taskId) ?? storyIds(world).find((id) => plannedTasks(world, id).includes(taskId));

/** A story's target, as a ref of this repository or of the remote. */
export const targetOf = ({ plan }: Pick<World, "plan">, storyId: string): string =>
  plan.delivery === "epic-branch" && storyId !== STORY ? `epic/${EPIC}` : "main";

const EXIT_CODES = new Set([0, 1, 2, 3]);

async function callSaga(world: World, words: readonly string[], { killAt }: Call): Promise<Ended> {
  const { stage, program } = world;
  const isKilled = killAt !== undefined;
  const env = { ...stage.env, ...(isKilled && { KILL_AT: String(killAt), KILL_COARSELY: "1" }) };
  const about = `saga ${words.join(" ")}`;
  let timer: NodeJS.Timeout | undefined;
  const ended = await runNode([...(isKilled ? ["--require", killAtHook] : []), program, ...words], {
    cwd: stage.path,
    env,
    onStart: (child) => {
      timer = setTimeout(() => {
        world.report(`${about} has not ended after ${COMMAND_MS / 1000} s.`);
        child.kill("SIGKILL");
      }, COMMAND_MS);
    },
  });
  clearTimeout(timer);
  const output = `${ended.stdout}${ended.stderr}`;
  const isInOrder = ended.signal === null ? EXIT_CODES.has(ended.exitCode ?? -1) : true;
  if (!isInOrder) world.report(`${about} ended with ${ended.exitCode}:\n${output}`);
  if (looksLikeCrash(output)) world.report(`${about} shows a crash of the program:\n${output}`);
  return ended;
}

/** Stack traces and reported bugs of the program. */
export const looksLikeCrash = (text: string): boolean =>
  /\n\s+at .+(?::\d+:\d+|<anonymous>)\)?/.test(text) || /"code":\s*"bug"/.test(text);

export interface SagaProcess {
  readonly pid: number;
  readonly role: "worker" | "auto-worker" | "auto" | "epic" | "dashboard" | "agent" | "other";
  readonly line: string;
}

const ROLES = ["worker", "auto-worker", "auto", "epic", "dashboard"] as const;

/** Every process of this world, except the tmux server. */
export function processesOf({ stage }: Pick<World, "stage">): SagaProcess[] {
  return processesWith("HOME", stage.home).flatMap(({ pid }) => {
    const words = commandLine(pid);
    if (words === undefined || /^tmux\b/.test(words[0] ?? "")) return [];
    const at = words.findIndex((word) => word.endsWith("/cli/main.cjs"));
    const role = ROLES.find((one) => at >= 0 && words[at + 1] === one);
    const isAgent = (words[0] ?? "").endsWith("/claude");
    return [{ pid, role: role ?? (isAgent ? "agent" : "other"), line: words.join(" ") }];
  });
}

function commandLine(pid: number): string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/cmdline`, "utf8");
    return text === "" ? undefined : text.split("\0");
  } catch {
    return undefined;
  }
}
