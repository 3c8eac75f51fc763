import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ratioFigure, sideBySide, type Figure } from "./table.ts";

export const STORIES = 1000;
export const TASKS = 10;
const env = { PATH: process.env["PATH"] };

/** The same files, read and parsed by nothing but a loop. */
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

export async function listFigure(saga: string, folder: string): Promise<Figure> {
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
  return ratioFigure(name, floorMs, oursMs, 1.5);
}

export function makeStories(project: string): void {
  for (let story = 0; story < STORIES; story++) {
    const id = `story-number-${story}`;
    const folder = join(project, ".saga/stories", id);
    mkdirSync(folder, { recursive: true });
    const write = (name: string, fields: unknown): void =>
      writeFileSync(join(folder, `${name}.json`), JSON.stringify(fields, undefined, 2));
    const description = "A paragraph that says what is to be done and why. ".repeat(6);
    write("story", { id, title: `Story number ${story}`, description, status: "pending" });
    for (let task = 0; task < TASKS; task++) {
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
