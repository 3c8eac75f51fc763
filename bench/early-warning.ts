// What early warning costs: 30 stories that run at once in a repository of 50,000 files, each with a commit a minute that
// touches a file which all of them change. All of a minute's looks are done one after the other, and their CPU time,
// with git's, is set against that minute.

import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { findRepository } from "../src/repo/repository.ts";
import { openStore } from "../src/store/file-store.ts";
import { checkConflicts } from "../src/worker/early-warning/check-conflicts.ts";
import { boundFigure, median, timed, type Figure } from "./table.ts";

const STORIES = 30;
const FILES = 50_000;
const MINUTE_MS = 60_000;
/** Besides the look after its commit: one every 12 seconds. */
const LOOKS_PER_MINUTE = 5;
const MOST_PERCENT = 5;
const TICK_MS = 10;

export async function earlyWarningFigures(folder: string): Promise<Figure[]> {
  const project = join(folder, "early-warning");
  mkdirSync(join(project, ".saga"), { recursive: true });
  const git = (args: readonly string[], input?: string): string =>
    execFileSync("git", args, { cwd: project, encoding: "utf8", ...(input && { input }) }).trim();
  git(["init", "--quiet", "--initial-branch=main"]);
  git(["fast-import", "--quiet"], history());
  const env = { PATH: process.env["PATH"], HOME: folder };
  const repository = await findRepository(project, env);
  // Each worker is a process with a store of its own.
  const workers = Array.from({ length: STORIES }, (_, at) => {
    const { openWorks } = openStore(project);
    const story = { id: `story-${at}`, title: `Story ${at}`, description: "What it is for." };
    const target = { branch: "main", refs: ["refs/heads/main"] };
    const isOpen = async () => true;
    return () => checkConflicts({ repository, openWorks, story, target, isOpen, now: Date.now });
  });
  for (const look of workers) await look();
  const times: number[] = [];
  let commits = 0;
  for (const [at, look] of workers.entries()) {
    git(["fast-import", "--quiet"], commitOf(at, "again"));
    // The commit itself is the agent's work.
    const before = cpuMs();
    times.push(await timed(look));
    commits += cpuMs() - before;
  }
  const quiet = cpuMs();
  for (let turn = 0; turn < LOOKS_PER_MINUTE; turn++) for (const look of workers) await look();
  const percent = ((commits + cpuMs() - quiet) / MINUTE_MS) * 100;
  return [
    {
      name: `early warning, ${STORIES} stories in ${FILES} files, a commit a minute each: CPU`,
      floor: "",
      ours: `${percent.toFixed(1)} % of a core`,
      ratio: "",
      goal: `≤ ${MOST_PERCENT} %`,
      isKept: percent <= MOST_PERCENT,
    },
    boundFigure(`from a commit to its ${STORIES} merges, median`, median(times), 30_000),
  ];
}

/** Its own CPU time, and that of the processes that it has started and that have ended. */
function cpuMs(): number {
  const fields = /\) (?<rest>.*)$/s.exec(readFileSync("/proc/self/stat", "utf8"))?.groups?.["rest"];
  const numbers = (fields ?? "").split(" ").slice(11, 15).map(Number);
  return numbers.reduce((sum, ticks) => sum + ticks, 0) * TICK_MS;
}

/** A target with many files, and a branch of it for each story. */
function history(): string {
  const files = Array.from(
    { length: FILES },
    (_, at) => `M 644 inline d${at % 200}/f${at}.txt\n${data(`${at}\n`)}`,
  );
  const shared = `M 644 inline shared.txt\n${data("shared\n")}`;
  const first = `commit refs/heads/main\ncommitter A <a@b> 1 +0000\n${data("first")}${files.join("")}${shared}\n`;
  return first + Array.from({ length: STORIES }, (_, at) => commitOf(at, "first", true)).join("");
}

function commitOf(at: number, text: string, isNew = false): string {
  const branch = `refs/heads/story/story-${at}`;
  const changes = ["shared.txt", `d${at}/f${at}.txt`]
    .map((path) => `M 644 inline ${path}\n${data(`${at} ${text}\n`)}`)
    .join("");
  const from = isNew ? "refs/heads/main" : `${branch}^0`;
  return `commit ${branch}\ncommitter A <a@b> 2 +0000\n${data("work")}from ${from}\n${changes}\n`;
}

const data = (text: string): string => `data ${Buffer.byteLength(text)}\n${text}\n`;
