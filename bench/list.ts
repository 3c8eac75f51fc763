import { execFileSync } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeBacklog } from "./backlog.ts";
import { peerTitle, type Peers } from "./peers.ts";
import { median, milliseconds, ratioFigure, sideBySide, timed, type Figure } from "./table.ts";

export const STORIES = 1000;
export const TASKS = 10;
const env = { PATH: process.env["PATH"] };

/** The same files, read and parsed in a plain loop. */
const BARE_LOOP = `
  const fs = require("node:fs");
  const stories = process.argv[1];
  let parsed = 0;
  for (const story of fs.readdirSync(stories)) {
    for (const file of fs.readdirSync(stories + "/" + story)) {
      JSON.parse(fs.readFileSync(stories + "/" + story + "/" + file, "utf8"));
      parsed++;
    }
  }
  console.log(parsed);
`;

export async function listFigure(saga: string, folder: string, peers: Peers): Promise<Figure> {
  const project = join(folder, "many-stories");
  makeStories(project);
  const stories = join(project, ".saga/stories");
  const node = (...args: string[]): string =>
    execFileSync(process.execPath, args, { cwd: project, env, encoding: "utf8", maxBuffer: 1e8 });
  const lines = node(saga, "list")
    .split("\n")
    .filter((line) => line.includes("ready")).length;
  if (lines !== STORIES) throw new Error(`saga list shows ${lines} stories, not ${STORIES}.`);
  const { floorMs, oursMs } = await sideBySide(
    15,
    () => node("-e", BARE_LOOP, stories),
    () => node(saga, "list"),
  );
  const name = `saga list, ${STORIES} stories of ${TASKS} tasks, against a bare loop`;
  return { ...ratioFigure(name, floorMs, oursMs, 1.5), peer: await peerCell(folder, peers) };
}

/** The same number of tasks in its own format, one file each. */
async function peerCell(folder: string, peers: Peers): Promise<string | undefined> {
  const backlog = peers.program("backlog.md", "backlog");
  if (backlog === undefined) return undefined;
  const project = join(folder, "backlog");
  makeBacklog(project, STORIES);
  const times: number[] = [];
  // Into a file: it exits before all output has passed through a pipe.
  const out = join(folder, "backlog.txt");
  const list = (): void => {
    const stdout = openSync(out, "w");
    const given = { cwd: project, env: { ...env, HOME: folder } };
    execFileSync(backlog, ["task", "list", "--plain"], {
      ...given,
      stdio: ["ignore", stdout, "inherit"],
    });
    closeSync(stdout);
  };
  list();
  const shown = readFileSync(out, "utf8").match(/TASK-\d+/g)?.length;
  if (shown !== STORIES) throw new Error(`backlog shows ${String(shown)} tasks, not ${STORIES}.`);
  for (let turn = 0; turn < 5; turn++) times.push(await timed(list));
  return `${peerTitle("backlog.md")}, ${STORIES} tasks: ${milliseconds(median(times))}`;
}

export function makeStories(project: string, stories = STORIES, tasks = TASKS): void {
  for (let story = 0; story < stories; story++) {
    const id = `story-number-${story}`;
    const folder = join(project, ".saga/stories", id);
    mkdirSync(folder, { recursive: true });
    const write = (name: string, fields: unknown): void =>
      writeFileSync(join(folder, `${name}.json`), JSON.stringify(fields, undefined, 2));
    const description = "A paragraph that says what is to be done and why. ".repeat(6);
    write("story", { id, title: `Story number ${story}`, description, status: "pending" });
    for (let task = 0; task < tasks; task++) {
      const blockedBy = task === 0 ? [] : [`task-${task - 1}-of-it`];
      const taskId = `task-${task}-of-it`;
      write(taskId, {
        id: taskId,
        subject: `Do part ${task}`,
        description,
        status: "pending",
        blockedBy,
      });
    }
  }
}
