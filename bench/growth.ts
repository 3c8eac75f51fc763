// How costs grow: what a person waits for with ten, a hundred, a thousand and ten thousand stories or tasks. Times are of
// whole shipped commands, including the start of Node.

import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createTaskList } from "../src/claude/tasks/list.ts";
import { openStore } from "../src/store/file-store.ts";
import { newRunId } from "../src/story/state/run-id.ts";
import { storySession } from "../src/story/definition/names.ts";
import { startShipped } from "./large-project.ts";
import { makeStories } from "./list.ts";
import { connect } from "./live-client.ts";
import { median, milliseconds, timed } from "./table.ts";

export const SIZES = [10, 100, 1_000, 10_000] as const;
type Size = (typeof SIZES)[number];

export interface Growth {
  readonly name: string;
  /** Undefined if a machine cannot do that many. */
  readonly costs: readonly (number | undefined)[];
}

interface Place {
  readonly saga: string;
  readonly folder: string;
}

/** A Linux machine has 4,096 pseudo-terminals by default. */
const MOST_SESSIONS = 1_000;
const TURNS = 3;

interface Measurement {
  readonly of: string;
  /** What is measured, in the order of the results. */
  readonly costs: readonly string[];
  readonly measure: (place: Place, size: Size) => Promise<number[]>;
}

const MEASUREMENTS: readonly Measurement[] = [
  {
    of: "stories of three tasks",
    costs: ["`saga list`", "`saga dashboard`, start to snapshot"],
    measure: ofStories,
  },
  { of: "tasks on the pool's list", costs: ["`saga task list`"], measure: ofTasks },
  { of: "runs that have ended", costs: ["`saga list`"], measure: ofRuns },
  { of: "sessions that are running", costs: ["`saga sessions`"], measure: ofSessions },
  {
    of: "lines of a log",
    costs: ["`saga logs`", "the dashboard, opened to the last line"],
    measure: ofLines,
  },
];

export async function growth(place: Place): Promise<Growth[]> {
  const rows: Growth[] = [];
  for (const { of, costs, measure } of MEASUREMENTS) {
    const columns: (readonly number[])[] = [];
    for (const size of SIZES) columns.push(await measure(place, size));
    const cells = (at: number): Growth["costs"] => columns.map((column) => column[at]);
    rows.push(...costs.map((cost, at) => ({ name: `${of}: ${cost}`, costs: cells(at) })));
  }
  return rows;
}

/** A row of cells, with the cost of ten times as much at the end. */
export function growthRow({ name, costs }: Growth): string[] {
  const known = costs.filter((cost) => cost !== undefined);
  const [before = Number.NaN, last = Number.NaN] = known.slice(-2);
  const cells = costs.map((cost) => (cost === undefined ? "" : milliseconds(cost)));
  return [name, ...cells, `× ${(last / before).toFixed(1)}`];
}

async function ofStories({ saga, folder }: Place, size: Size): Promise<number[]> {
  const project = join(folder, `growth-stories-${size}`);
  makeStories(project, size, 3);
  const listMs = await timeOf(saga, project, folder, "list");
  const startMs = await timed(async () => {
    const shipped = await startShipped(saga, project, folder);
    const client = await connect(shipped, size);
    client.close();
    await shipped.end();
  });
  return [listMs, startMs];
}

async function ofTasks({ saga, folder }: Place, size: Size): Promise<number[]> {
  const project = join(folder, `growth-tasks-${size}`);
  mkdirSync(join(project, ".saga"), { recursive: true });
  const root = join(folder, "growth-lists");
  const settings = `[auto]\ntask_list_id = "of-${size}"\ntasks_root = ${JSON.stringify(root)}\n`;
  writeFileSync(join(project, ".saga/config.toml"), settings);
  createTaskList(
    join(root, `of-${size}`),
    numbers(size).map((at) => ({
      id: String(at + 1),
      subject: `Do part ${at}`,
      description: "A paragraph that says what is to be done and why. ".repeat(6),
      status: "pending",
      blocks: [],
      blockedBy: at % 10 === 0 ? [] : [String(at)],
    })),
  );
  return [await timeOf(saga, project, folder, "task", "list")];
}

/** Each epic has ten stories. */
async function ofRuns({ saga, folder }: Place, size: Size): Promise<number[]> {
  const project = join(folder, `growth-runs-${size}`);
  makeStories(project, 10, 3);
  for (const at of numbers(size)) {
    const atMs = Date.UTC(2026, 0, 1) + at * 60_000;
    const story = `story-number-${at % 10}`;
    const id = newRunId(atMs, at.toString(16).padStart(6, "0"));
    const run = join(project, ".saga/runs", story, id);
    mkdirSync(run, { recursive: true });
    const startedAt = new Date(atMs).toISOString();
    const record = { id, story, startedAt, endedAt: startedAt, outcome: "failed" };
    writeFileSync(join(run, "run.json"), JSON.stringify(record));
  }
  return [await timeOf(saga, project, folder, "list")];
}

async function ofSessions({ saga, folder }: Place, size: Size): Promise<number[]> {
  if (size > MOST_SESSIONS) return [];
  const home = join(folder, `growth-sessions-${size}`);
  mkdirSync(home, { mode: 0o700 });
  const env = { PATH: process.env["PATH"], HOME: home, TMUX_TMPDIR: home };
  const tmux = (...words: string[]): Buffer => execFileSync("tmux", words, { cwd: home, env });
  for (const at of numbers(size)) {
    const name = storySession(`story-number-${at}`, 1_700_000_000_000 + at);
    tmux("-f", "/dev/null", "new-session", "-d", "-s", name, "sleep", "1000");
  }
  const ms = await timeOf(saga, home, home, "sessions");
  tmux("kill-server");
  return [ms];
}

async function ofLines({ saga, folder }: Place, size: Size): Promise<number[]> {
  const project = join(folder, `growth-lines-${size}`);
  makeStories(project, 1, 3);
  const story = "story-number-0";
  const log = await openStore(project).startRun(story);
  const text = "A line about what the agent has just done, of ordinary length. ".repeat(3);
  for (const at of numbers(size)) {
    log.append({ at: new Date(at).toISOString(), type: "agent.said", number: at, text });
  }
  log.close();
  const logsMs = await timeOf(saga, project, folder, "logs", story);
  const shipped = await startShipped(saga, project, folder);
  const client = await connect(shipped, 1);
  const pageMs = await timed(
    () =>
      new Promise<void>((resolve) => {
        client.onMessage((message) => {
          if (message.type !== "log") return;
          if (Number(message.events.at(-1)?.["number"]) === size - 1) resolve();
        });
        client.send({ type: "follow", story, run: log.run.id, from: 0 });
      }),
  );
  client.close();
  await shipped.end();
  return [logsMs, pageMs];
}

async function timeOf(
  saga: string,
  cwd: string,
  home: string,
  ...words: string[]
): Promise<number> {
  const env = { PATH: process.env["PATH"], HOME: home, TMUX_TMPDIR: home };
  const times: number[] = [];
  for (let turn = -1; turn < TURNS; turn++) {
    const ms = await timed(() =>
      execFileSync(process.execPath, [saga, ...words], { cwd, env, maxBuffer: 1e9 }),
    );
    if (turn >= 0) times.push(ms);
  }
  return median(times);
}

const numbers = (size: number): number[] => Array.from({ length: size }, (_, at) => at);
