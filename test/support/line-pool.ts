// A list of loose tasks, and one worker of the pool that does them with the line agent, in this process.

import { mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ClaudeCodeTask } from "../../src/claude/tasks/format.ts";
import { landingKinds } from "../../src/cli/deliver/landing-kinds.ts";
import { thisProcess } from "../../src/machine/processes/process-id.ts";
import { findProblems } from "../../src/pool/list/find-problems.ts";
import { repair, type RepairResult } from "../../src/pool/overseer/repair-run.ts";
import { takeTask } from "../../src/pool/worker/take-task.ts";
import { findRepository } from "../../src/repo/repository.ts";
import {
  makeInstanceFolder,
  writeDaemon,
  type RequestResult,
} from "../../src/tasks/daemon-files.ts";
import type { PoolProblem } from "../../src/tasks/problem.ts";
import { poolLocation } from "../../src/tasks/location.ts";
import { newClaimer } from "./claims.ts";
import { claudeTask } from "./claude-list.ts";
import type { LineAgent } from "./line-agent.ts";
import type { Stage } from "./stage.ts";

export interface LinePool {
  readonly list: string;
  readonly addTask: (id: string, more?: Partial<ClaudeCodeTask>) => void;
  readonly task: (id: string) => ClaudeCodeTask;
  /** The text of a file of the list. */
  readonly write: (name: string, text: string) => void;
  /** As a worker does when its daemon assigns the task. */
  readonly take: (id: string) => Promise<RequestResult>;
  /** As the overseer does when the list's problems have stopped its daemon. */
  readonly repair: () => Promise<RepairResult>;
}

export const LINE_POOL_CONFIG =
  '[auto]\ntask_list_id = "chores"\n[delivery]\nupdate_checkout = true\n';

const INSTANCE = "1a2b3c4d";

export async function newLinePool(stage: Stage, agent: LineAgent): Promise<LinePool> {
  const { store, env } = stage;
  const settings = await store.settings();
  const { project } = store;
  const { listId, list, contextFile } = poolLocation(settings, { project, env });
  mkdirSync(list, { recursive: true });
  const folder = makeInstanceFolder(project, INSTANCE);
  writeDaemon(folder, {
    instance: INSTANCE,
    list: listId,
    folder: list,
    process: thisProcess(),
    startedAt: new Date().toISOString(),
    state: "running",
    workers: ["auto-1"],
  });
  const worker = {
    name: "auto-1",
    folder,
    list: listId,
    listFolder: list,
    contextFile,
    kinds: landingKinds,
    store,
    settings,
    repository: await findRepository(project, env),
    env,
    agent,
    sessionDir: join(stage.home, "sessions"),
    session: undefined,
    outputFile: undefined,
    updateCheckouts: true,
    now: Date.now,
    print: () => undefined,
    report: () => undefined,
    stop: new AbortController().signal,
  };
  const claimer = newClaimer(list);
  const look = (): Promise<PoolProblem[]> => findProblems(list, contextFile);
  let number = 0;
  const write: LinePool["write"] = (name, text) => writeFileSync(join(list, name), text);
  return {
    list,
    write,
    addTask: (id, more) => write(`${id}.json`, JSON.stringify(claudeTask(id, more), undefined, 2)),
    task: (id) => JSON.parse(readFileSync(join(list, `${id}.json`), "utf8")) as ClaudeCodeTask,
    take: (taskId) => takeTask(worker, claimer, { number: ++number, taskId, otherLabels: [] }),
    async repair() {
      const [first, ...more] = await look();
      if (first === undefined) throw new Error("The list has no problem.");
      const place = { list: realpathSync(list), contextFile };
      const repairs = join(folder, "repairs");
      return repair(
        { ...worker, place, folder: repairs, findProblems: look },
        { problems: [first, ...more], before: undefined },
      );
    },
  };
}
