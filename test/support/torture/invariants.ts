// What must hold in every case: the cheap checks after each step, all of them at the end.

import { join } from "node:path";
import { cookieName } from "../../../src/dashboard/server/guard.ts";
import { connect, isSnapshot } from "../dashboard.ts";
import { LIST } from "../pool-stage.ts";
import { fileOf, lineOf, poolFileOf } from "./agent.ts";
import {
  snapshotCommits,
  everySnapshot,
  filesBelow,
  linesIn,
  namesIn,
  statusesIn,
  taskTrailers,
  textOf,
  trueCopy,
} from "./facts.ts";
import {
  looksLikeCrash,
  plannedTasks,
  processesOf,
  storyIds,
  targetOf,
  type World,
} from "./world.ts";

export interface Listed {
  readonly id: string;
  readonly state: string;
  readonly tasks: { readonly total: number; readonly completed: number };
}

export async function listed(world: World): Promise<Map<string, Listed>> {
  const { stdout, stderr, exitCode } = await world.saga(["list", "--json"]);
  if (exitCode !== 0) {
    world.report(`saga list ended with ${exitCode}:\n${stdout}${stderr}`);
    return new Map();
  }
  const { stories } = JSON.parse(stdout) as { stories: Listed[] };
  return new Map(stories.map((story) => [story.id, story]));
}

/** After each step. */
export async function lookRound(world: World): Promise<void> {
  world.seeTips();
  for (const file of brokenJson(world)) world.report(`${file} is not JSON.`);
  for (const file of filesBelow(join(world.stage.home, "sessions"))) {
    const text = textOf(file) ?? "";
    if (looksLikeCrash(text)) world.report(`${file} shows a crash of the program:\n${text}`);
  }
  // A full disk may keep a reader from cleaning up first.
  if (world.trouble.heal !== undefined) return;
  const { exitCode, stdout } = await world.saga(["validate", "--json"]);
  if (exitCode !== 0) world.report(`saga validate ended with ${exitCode}:\n${stdout}`);
  const stories = await listed(world);
  const isQuiet = (): boolean =>
    processesOf(world).every(({ role }) => role === "dashboard") && world.underWay.size === 0;
  if (!isQuiet()) return;
  for (const story of stories.values()) judgeState(world, story);
  await compareDashboard(world);
}

function brokenJson({ stage, trouble }: World): string[] {
  const folders = ["stories", "epics", "runs", "auto", "notices", "archive"];
  const own = folders.flatMap((name) => filesBelow(join(stage.path, ".saga", name)));
  // Git may have written there on a disk that was full; and only a story's own copy is one that counts.
  const ids = trouble.heal === undefined ? namesIn(join(stage.path, ".saga/worktrees")) : [];
  const live = ids.flatMap((id) =>
    filesBelow(join(stage.path, ".saga/worktrees", id, ".saga/stories", id)),
  );
  const all = [...own, ...live, join(stage.path, ".saga/epics.json")];
  return all.filter((file) => /\/[^./][^/]*\.json$/.test(file) && !isJson(textOf(file)));
}

/** A file that no longer exists cannot be incomplete. */
function isJson(text: string | undefined): boolean {
  if (text === undefined) return true;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** While nothing runs: compares the list with git and the files. */
function judgeState(world: World, { id, state, tasks }: Listed): void {
  const { folder } = trueCopy(world.stage, id);
  const arrived = taskTrailers(world, targetOf(world, id));
  const own = Object.keys(statusesIn(folder));
  const isAllThere = own.length > 0 && own.every((task) => arrived.includes(task));
  const complain = (why: string): void =>
    world.report(
      `saga list says ${id} is ${state} (${tasks.completed}/${tasks.total}), but ${why}.`,
    );
  if (state === "running" || state === "stalled") complain("it has no worker");
  if (state === "completed" && !isAllThere) complain("its target lacks some of it");
  if (state === "completed") return;
  const done = Object.values(statusesIn(folder)).filter((status) => status === "completed");
  if (done.length !== tasks.completed) complain(`${done.length} files say completed`);
  const isBegun = done.length > 0 || trueCopy(world.stage, id).isInWorktree;
  const isUntouched = state === "pending" || state === "waiting";
  if (isUntouched && isBegun) complain("it was begun");
}

/** A page shows what the command says. */
async function compareDashboard(world: World): Promise<void> {
  const { dashboard } = world;
  if (dashboard === undefined) return;
  const { port, key } = dashboard;
  const headers = { Cookie: `${cookieName(port)}=${key}`, Origin: `http://127.0.0.1:${port}` };
  let [shown, expected] = ["", ""];
  // It gets changes a moment later.
  for (const deadline = performance.now() + 8_000; performance.now() < deadline;) {
    const stories = [...(await listed(world)).values()];
    expected = lines(
      stories.map(({ id, state, tasks }) => [id, state, tasks.completed, tasks.total]),
    );
    const client = await connect(port, headers).catch(() => undefined);
    if (client === undefined) break;
    const { entities } = await client.first(isSnapshot);
    client.close();
    shown = lines(
      Object.values(entities.stories).map(({ id, state, tasks }) => [
        id,
        state,
        tasks.filter(({ status }) => status === "completed").length,
        tasks.length,
      ]),
    );
    if (shown === expected) return;
  }
  if (world.dashboard !== undefined) {
    world.report(
      `The dashboard shows something else than the list:\n${shown}\nand not\n${expected}`,
    );
  }
}

const lines = (rows: readonly (readonly unknown[])[]): string =>
  rows
    .map((row) => row.join(" "))
    .toSorted()
    .join("\n");

/** When everything is finished. */
export async function judgeEnd(world: World): Promise<void> {
  const { stage, plan, bare } = world;
  await lookRound(world);
  const stories = await listed(world);
  for (const id of storyIds(world)) {
    const state = stories.get(id)?.state;
    if (state !== "completed") world.report(`${id} is ${state} in the end.`);
    judgeWork(world, id);
  }
  judgePool(world);
  judgeCommits(world);
  judgeWritten(world);
  const left = filesBelow(join(stage.path, ".saga")).filter((file) => file.endsWith(".tmp"));
  for (const file of left) world.report(`${file} is left.`);
  if (namesIn(join(stage.path, ".saga")).includes("transaction")) {
    world.report("A transaction is left.");
  }
  const locks = gitFiles(world).filter((file) => file.endsWith(".lock"));
  for (const file of locks) world.report(`${file} is left.`);
  for (const { name, record } of await stage.store.leases.list()) {
    world.report(`The lease ${name} of ${record.owner} is left.`);
  }
  for (const { pid, line } of processesOf(world)) world.report(`${pid} is left running: ${line}`);
  for (const session of stage.sessions()) world.report(`The session ${session} is left.`);
  for (const list of stage.lists().filter((name) => name !== LIST)) {
    world.report(`The task list ${list} is left.`);
  }
  // The output of a pool that could not start is kept for a day.
  const sessions = filesBelow(join(stage.home, "sessions"));
  for (const file of sessions.filter((one) => !/\/saga-auto-daemon-\d+\.out$/.test(one))) {
    world.report(`${file} is left.`);
  }
  const fsck = (folder: string): string => stage.git("-C", folder, "fsck", "--no-dangling");
  for (const folder of [stage.path, ...(plan.remote === "none" ? [] : [bare ?? ""])]) {
    try {
      fsck(folder);
    } catch (error) {
      world.report(`${folder} is broken: ${String(error)}`);
    }
  }
}

/** Each task has one commit in the target, and its line is there once. */
function judgeWork(world: World, storyId: string): void {
  const ref = targetOf(world, storyId);
  const extra = [...world.added].flatMap(([task, story]) => (story === storyId ? [task] : []));
  const kept = extra.filter((task) => !isGivenUp(world, `the task ${task} of ${storyId}`));
  const trailers = taskTrailers(world, ref);
  for (const task of [...plannedTasks(world, storyId), ...kept]) {
    const times = trailers.filter((one) => one === task).length;
    if (times !== 1) world.report(`${ref} has ${times} commits of ${task} (${storyId}).`);
    const found = linesIn(world, ref, fileOf(task)).filter((line) => line === lineOf(task)).length;
    if (found !== 1) world.report(`${ref} has the line of ${task} ${found} times (${storyId}).`);
  }
}

const isGivenUp = (world: World, where: string): boolean =>
  [...world.written.values()].some((one) => one.where === where && one.isGivenUp);

function judgePool(world: World): void {
  const trailers = taskTrailers(world, "main");
  for (const name of namesIn(world.listFolder).filter((one) => /^[^.].*\.json$/.test(one))) {
    const text = textOf(join(world.listFolder, name));
    if (!isJson(text)) {
      world.report(`${name} of the pool is not JSON.`);
      continue;
    }
    const task = JSON.parse(text ?? "") as { id: string; status: string; owner?: string };
    if (task.status !== "completed")
      world.report(`The pool's ${task.id} is ${task.status} in the end.`);
    if (task.owner !== undefined)
      world.report(`The pool's ${task.id} still belongs to ${task.owner}.`);
    const times = trailers.filter((one) => one === `${LIST}/${task.id}`).length;
    if (times !== 1) world.report(`main has ${times} commits of the pool's ${task.id}.`);
    const file = poolFileOf(task.id);
    const found = linesIn(world, "main", file).filter((line) => line === lineOf(task.id)).length;
    if (found !== 1) world.report(`main has the line of the pool's ${task.id} ${found} times.`);
  }
}

function judgeCommits(world: World): void {
  const folders = [world.stage.path, ...(world.bare === undefined ? [] : [world.bare])];
  const kept = new Set(folders.flatMap((folder) => [...snapshotCommits(folder)]));
  for (const [commit, ref] of world.tips) {
    if (!kept.has(commit))
      world.report(`${commit} was on ${ref}, and nothing leads to it any more.`);
  }
}

/** In the worktree, on a branch or in a snapshot. */
function judgeWritten(world: World): void {
  const { stage, bare } = world;
  const folders = [stage.path, ...(bare === undefined ? [] : [bare])];
  const kept = folders.map(everySnapshot).join("");
  const onDisk = filesBelow(stage.path).map((file) => textOf(file) ?? "");
  for (const [token, { where, isGivenUp: isGone }] of world.written) {
    if (isGone || kept.includes(token) || onDisk.some((text) => text.includes(token))) continue;
    world.report(`What a person wrote (${token}, in ${where}) is nowhere any more.`);
  }
}

function gitFiles({ stage }: World): string[] {
  const own = join(stage.path, ".git");
  return namesIn(own).flatMap((name) => {
    const path = join(own, name);
    return name === "objects" ? [] : [path, ...filesBelow(path)];
  });
}
