import { execFile } from "node:child_process";
import { linkSync, readdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { describe, expect, it } from "vitest";
import { newClaimObserver } from "../../src/store/claims/claim-observer.ts";
import { deadClaims, recoverClaim, type DeadClaim } from "../../src/tasks/claims/dead-claims.ts";
import { findClaude } from "../../src/claude/find.ts";
import { claimTask } from "../../src/tasks/claims/claim.ts";
import { createTaskList, taskListFolder } from "../../src/claude/tasks/list.ts";
import type { Script } from "../../src/rehearsal/model-server.ts";
import { conversation } from "../../src/rehearsal/scripted-agent.ts";
import type { ClaudeCodeTask } from "../../src/claude/tasks/format.ts";
import { gather, type Crowd } from "../support/claim-crowd.ts";
import { newClaimer } from "../support/claims.ts";
import { claudeTask, newList, taskIn } from "../support/claude-list.ts";
import { isTorture } from "../support/kill-places.ts";
import { bundle } from "../support/programs.ts";
import { newStage } from "../support/stage.ts";
import { seeded } from "../support/seeded.ts";

const chance = seeded();

const TASKS = isTorture ? 2_000 : 100;
const HERD_TASKS = isTorture ? 2_000 : 25;
const REPETITIONS = isTorture ? 10 : 1;
const PROCESSES = 8;
const KILLED = 6;

const numbered = (count: number): string[] => Array.from({ length: count }, (_, at) => `${at + 1}`);
/** With fields that neither Claude nor we know. */
const strange = (id: string): ClaudeCodeTask =>
  claudeTask(id, { metadata: { mine: [id] }, extra: { deep: { id } } });

describe.each(Array.from({ length: REPETITIONS }, (_, at) => at + 1))("round %i", (round) => {
  it("gives each task to one of eight processes that drain the list", async () => {
    const list = newList(...numbered(TASKS).map(strange));
    const crowd = await newCrowd(list);
    await crowd.drain(TASKS);
    expect(problemsOf(list, crowd, TASKS)).toEqual([]);
    await crowd.end();
  });

  it("gives each task to one of eight processes that are woken for it at once", async () => {
    const list = newList(...numbered(HERD_TASKS).map(strange));
    const crowd = await newCrowd(list);
    await crowd.herd(HERD_TASKS);
    expect(problemsOf(list, crowd, HERD_TASKS)).toEqual([]);
    await crowd.end();
  });

  it("loses no task and assigns none twice when six of eight are killed while they drain the list", async () => {
    const list = newList(...numbered(TASKS).map(strange));
    const crowd = await newCrowd(list);
    // One after the other, each at another point of its work.
    const step = Math.floor(TASKS / (KILLED + 2));
    let killed = 0;
    await crowd.drain(TASKS, (claimed) => {
      if (killed < KILLED && claimed >= (killed + 1) * step + (round % step)) {
        killed++;
        crowd.kill(1);
      }
    });
    expect(killed).toBe(KILLED);
    expect(await problemsAfterRecovery(list, crowd, TASKS)).toEqual([]);
    await crowd.end();
  });

  // A process that is killed with Claude's lock delays the others for ten seconds.
  it.runIf(isTorture)(
    "loses no task and assigns none twice when six of eight are killed as they are woken",
    async () => {
      const list = newList(...numbered(HERD_TASKS).map(strange));
      const crowd = await newCrowd(list);
      const step = Math.floor(HERD_TASKS / (KILLED + 1));
      await crowd.herd(HERD_TASKS, (id) => {
        if (id % step !== 0 || id / step > KILLED) return;
        // In the middle of the attempt, not before it.
        setTimeout(() => crowd.kill(1), chance.below(4));
      });
      expect(await problemsAfterRecovery(list, crowd, HERD_TASKS)).toEqual([]);
      await crowd.end();
    },
  );
});

it("neither loses concurrent changes of the real Claude Code, nor disturbs it", async () => {
  let isOver = false;
  let wake = (): void => undefined;
  const begun = new Promise<void>((resolve) => {
    wake = resolve;
  });
  let turns = 0;
  // A few tasks in each turn, from the end of the list backwards, so that they meet in the middle.
  const script: Script = (turn) => {
    wake();
    if (isOver && turns > 3) return { kind: "say", blocks: [{ type: "text", text: "Done." }] };
    turns++;
    const ids = numbered(TASKS).filter((id) => (Number(id) + turns) % 10 === 0);
    const update = (taskId: string) => ({
      type: "tool_use" as const,
      name: "TaskUpdate",
      input: { taskId, subject: `Claude was here ${conversation(turn).calls.length}` },
    });
    const create = {
      type: "tool_use" as const,
      name: "TaskCreate",
      input: { subject: `New ${turns}`, description: "d" },
    };
    return { kind: "say", blocks: [...ids.map(update), create] };
  };
  const stage = await newStage({ script });
  const list = taskListFolder(stage.env, "pool");
  createTaskList(list, numbered(TASKS).map(strange));
  const crowd = await newCrowd(list);
  const claude = runClaude(stage.path, stage.env);
  await begun;
  await crowd.drain(TASKS);
  isOver = true;
  const output = await claude;

  const { owners, twice } = claimsOf(crowd);
  expect(twice).toEqual([]);
  expect([...owners.keys()].toSorted()).toEqual(numbered(TASKS).toSorted());
  const results = answersIn(output);
  expect(results.filter(({ isError }) => isError)).toEqual([]);
  expect(results.length).toBeGreaterThan(TASKS / 10);
  const files = readdirSync(list).filter((name) => name.endsWith(".json"));
  expect(files.length).toBe(TASKS + turns);
  let touched = 0;
  for (const id of numbered(TASKS)) {
    const task = taskIn(list, id);
    const isTouched = task.subject.startsWith("Claude was here");
    if (isTouched) touched++;
    expect(task).toEqual({
      ...strange(id),
      ...(isTouched && { subject: task.subject, extra: task["extra"] }),
      status: "in_progress",
      owner: owners.get(id),
    });
  }
  expect(touched).toBe(new Set(results.flatMap(({ taskId }) => taskId ?? [])).size);
  await crowd.end();
});

// 65,000 files take their time.
it.runIf(isTorture)("continues with a new claimer file when one is full", async () => {
  const list = newList(claudeTask("1"), claudeTask("2"));
  const claimer = newClaimer(list);
  const first = await claimTask(list, claimer, "1");
  useUp(join(list, ".claims/cards/here.auto-1"));
  const second = await claimTask(list, claimer, "2");
  for (const claimed of [first, second]) {
    expect(claimed.kind === "claimed" && (await claimed.claim.isMine())).toBe(true);
  }
});

/** Gives a file as many names as the disk allows, or more than the smallest limit of a usual one. */
function useUp(file: string): void {
  for (let count = 0; count < 66_000; count++) {
    try {
      linkSync(file, `${file}.${count}`);
    } catch {
      return;
    }
  }
}

const newCrowd = async (list: string): Promise<Crowd> =>
  gather([await bundle("test/support/processes/task-claimer.ts"), list], PROCESSES);

/** Who says to have got each task, and of which more than one says so. */
function claimsOf(crowd: Crowd): { owners: Map<string, string>; twice: string[] } {
  const owners = new Map<string, string>();
  const twice: string[] = [];
  for (const [name, won] of crowd.won()) {
    for (const id of won) {
      if (owners.has(id)) twice.push(`${id} was given out twice`);
      owners.set(id, name);
    }
  }
  return { owners, twice };
}

/** Where not exactly one has a task, or something of the task is lost. */
function problemsOf(list: string, crowd: Crowd, count: number): string[] {
  const { owners, twice } = claimsOf(crowd);
  const wrong = numbered(count).filter(
    (id) =>
      !isDeepStrictEqual(taskIn(list, id), {
        ...strange(id),
        status: "in_progress",
        owner: owners.get(id),
      }),
  );
  return [...twice, ...wrong.map((id) => `${id} is not as its owner left it`)];
}

/** After one pass over what the dead have left, each task is a living one's or can be had. */
async function problemsAfterRecovery(list: string, crowd: Crowd, count: number): Promise<string[]> {
  const { owners, twice: errors } = claimsOf(crowd);
  ageLocks(list);
  const daemon = newClaimer(list, "auto-daemon");
  const dead = await deadClaims(list, newClaimObserver());
  if (dead.length === 0) errors.push("no process died with a task in hand");
  const recover = async (one: DeadClaim): Promise<void> => {
    const end = await recoverClaim(list, daemon, one, () => (task) => task);
    if (end !== "returned") errors.push(`${one.taskId} was not returned`);
  };
  await Promise.all(dead.map(recover));

  const living = new Set(crowd.living());
  const late = newClaimer(list, "auto-99");
  for (const id of numbered(count)) {
    const { status, owner, ...others } = taskIn(list, id);
    const { status: _, ...asGiven } = strange(id);
    if (!isDeepStrictEqual(others, asGiven)) errors.push(`${id} has lost something`);
    if (status === "in_progress") {
      const isRight = living.has(owner ?? "") && owners.get(id) === owner;
      if (!isRight) errors.push(`${id} is in progress without a claim`);
    } else {
      const { kind } = await claimTask(list, late, id, { isDurable: false });
      if (kind !== "claimed") errors.push(`${id} cannot be had: ${kind}`);
    }
  }
  return errors;
}

/** Ten seconds later the locks of the dead may be taken over. No living process holds one now. */
function ageLocks(list: string): void {
  const then = new Date(Date.now() - 11_000);
  for (const name of readdirSync(list)) {
    if (name.endsWith(".lock") && name !== ".lock") utimesSync(join(list, name), then, then);
  }
}

const runClaude = (cwd: string, env: NodeJS.ProcessEnv): Promise<string> =>
  new Promise((resolve) => {
    const words = ["-p", "--output-format", "stream-json", "--verbose"];
    words.push("--tools", "TaskList,TaskGet,TaskUpdate,TaskCreate");
    const child = execFile(
      findClaude(undefined, env, cwd)?.path ?? "claude",
      words,
      {
        cwd,
        env: {
          ...env,
          CLAUDE_CODE_ENABLE_TASKS: "true",
          CLAUDE_CODE_ENABLE_TODO_TOOLS: "1",
          CLAUDE_CODE_TASK_LIST_ID: "pool",
        },
        maxBuffer: 2 ** 28,
      },
      // How it ended is in what it printed.
      (_, stdout, stderr) => resolve(stdout + stderr),
    );
    child.stdin?.end("Work on the list.");
  });

interface Answer {
  readonly isError: boolean;
  /** Of an update. */
  readonly taskId?: string;
  readonly text: string;
}

interface Printed {
  readonly type: string;
  readonly message?: {
    readonly content?: string | { readonly is_error?: boolean; readonly content?: unknown }[];
  };
}

/** What Claude's tools answered. */
function answersIn(output: string): Answer[] {
  const printed = output
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as Printed);
  const blocks = printed
    .filter(({ type }) => type === "user")
    .flatMap(({ message }) => (typeof message?.content === "object" ? message.content : []));
  return blocks.map(({ is_error: isError = false, content }) => {
    const text = typeof content === "string" ? content : JSON.stringify(content);
    const taskId = /Updated task #(?<id>\w+)/.exec(text)?.groups?.["id"];
    return { isError, text, ...(taskId && { taskId }) };
  });
}
