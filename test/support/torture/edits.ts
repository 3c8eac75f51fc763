// The steps of a schedule that are a person's: edits by hand in the files of a story, in its worktree and
// in the checkout, commits, deletions.

import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { storyAt, outcome, type Act } from "./commands.ts";
import { knownTips, taskTrailers, trueCopy } from "./facts.ts";
import type { Step } from "./plan.ts";
import { notesOf, processesOf, shortOf, storyIds, targetOf, type World } from "./world.ts";

/** A unique name for what a person writes. */
function newToken(world: World, where: string, worktree?: string): string {
  const token = `token${world.written.size + 1}of${world.plan.stories.length}`;
  world.written.set(token, { where, worktree, isGivenUp: false });
  return token;
}

/** Edits that the disk refuses are skipped. */
const byHand =
  (edit: Act): Act =>
  async (world, step) =>
    world.trouble.heal === undefined ? edit(world, step) : undefined;

/** A worker restores the files it guards, so people must stop it first. */
const hasWorker = (world: World, storyId: string): boolean =>
  processesOf(world).some(
    ({ role, line }) => (role === "worker" && line.includes(` ${storyId} `)) || role === "epic",
  ) || world.underWay.size > 0;

const isMerged = (world: World, storyId: string): boolean =>
  taskTrailers(world, targetOf(world, storyId)).some((id) => taskOfStory(world, storyId, id));

function taskOfStory(world: World, storyId: string, taskId: string): boolean {
  return (
    taskId.startsWith(`${shortOf(storyId)}-`) ||
    world.added.get(taskId) === storyId ||
    taskId === "form"
  );
}

/** A story that a person may write to: not running and not merged. */
function freeStory(world: World, step: Step): string | undefined {
  const storyId = storyAt(world, step);
  return hasWorker(world, storyId) || isMerged(world, storyId) ? undefined : storyId;
}

const editDescription: Act = async (world, step) => {
  const storyId = freeStory(world, step);
  if (storyId === undefined) return undefined;
  const { folder, isInWorktree } = trueCopy(world.stage, storyId);
  const file = join(folder, "story.json");
  const story = JSON.parse(readFileSync(file, "utf8")) as { description: string };
  const token = newToken(world, file, isInWorktree ? storyId : undefined);
  const description = `${story.description} ${token}`;
  writeFileSync(file, `${JSON.stringify({ ...story, description }, undefined, 2)}\n`);
  return file;
};

const editJournal: Act = async (world, step) => {
  const storyId = freeStory(world, step);
  if (storyId === undefined) return undefined;
  const { folder, isInWorktree } = trueCopy(world.stage, storyId);
  const file = join(folder, "journal.md");
  const token = newToken(world, file, isInWorktree ? storyId : undefined);
  if (step.amount % 2 === 0) {
    appendFileSync(file, `\nA note by hand: ${token}.\n`);
    return file;
  }
  const words = ["journal", storyId, "--decision", `We agreed on ${token}`];
  const ended = await world.saga(words);
  if (ended.exitCode !== 0) giveUp(world, token);
  return `saga ${words.join(" ")}: ${outcome(ended)}`;
};

function giveUp(world: World, token: string): void {
  const written = world.written.get(token);
  if (written) written.isGivenUp = true;
}

const addTask: Act = async (world, step) => {
  const storyId = freeStory(world, step);
  if (storyId === undefined) return undefined;
  const { folder, isInWorktree } = trueCopy(world.stage, storyId);
  const id = `${shortOf(storyId)}-extra-${world.added.size + 1}`;
  const token = newToken(world, `the task ${id} of ${storyId}`, isInWorktree ? storyId : undefined);
  const task = { id, subject: `Do ${id}`, description: token, status: "pending", blockedBy: [] };
  world.added.set(id, storyId);
  writeFileSync(join(folder, `${id}.json`), `${JSON.stringify(task, undefined, 2)}\n`);
  return join(folder, `${id}.json`);
};

const addPoolTask: Act = async (world, { pick }) => {
  const words = ["task", "add", `More work ${pick}`, "--description", "In one line.", "--json"];
  return `saga ${words.join(" ")}: ${outcome(await world.saga(words))}`;
};

const editInWorktree: Act = async (world, step) => {
  const storyId = storyAt(world, step);
  const worktree = join(world.stage.path, ".saga/worktrees", storyId);
  if (!existsSync(join(worktree, ".git"))) return undefined;
  const file = join(worktree, notesOf(storyId), `person-${world.written.size}.txt`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${newToken(world, file, storyId)}\n`);
  return file;
};

const editInCheckout: Act = async (world) => {
  const file = join(world.stage.path, "README.md");
  appendFileSync(file, `${newToken(world, file)}\n`);
  return file;
};

const removeWorktree: Act = async (world, step) => {
  const storyId = storyAt(world, step);
  const worktree = join(world.stage.path, ".saga/worktrees", storyId);
  if (!existsSync(worktree) || hasWorker(world, storyId)) return undefined;
  rmSync(worktree, { recursive: true, force: true });
  if (world.deleted.has(storyId) && !hasBranch(world, storyId)) throwAway(world, storyId);
  // The person deleted its uncommitted work with it.
  for (const written of world.written.values()) {
    if (written.worktree === storyId) written.isGivenUp = true;
  }
  return worktree;
};

const deleteBranch: Act = async (world, step) => {
  const storyId = storyAt(world, step);
  const branch = `story/${storyId}`;
  const tips = [...knownTips(world.stage)].filter(([, name]) => name === branch);
  const worktree = join(world.stage.path, ".saga/worktrees", storyId);
  if (tips.length === 0 || hasWorker(world, storyId)) return undefined;
  world.stage.git("update-ref", "-d", `refs/heads/${branch}`);
  // With its worktree, git still knows the last commit: it can be brought back.
  if (existsSync(join(worktree, ".git"))) world.deleted.add(storyId);
  else throwAway(world, storyId);
  return branch;
};

function throwAway(world: World, storyId: string): void {
  world.thrownAway.add(storyId);
  for (const [commit, name] of world.tips) {
    if (name === `story/${storyId}`) world.tips.delete(commit);
  }
  for (const written of world.written.values()) {
    if (written.worktree === storyId) written.isGivenUp = true;
  }
}

const commitOnMain: Act = async (world) => {
  const { stage, plan } = world;
  const name = `person-${world.written.size}.txt`;
  const token = newToken(world, `${name} on main`);
  if (plan.remote !== "pushed") {
    stage.write(`person/${name}`, `${token}\n`);
    patiently(() => stage.git("add", `person/${name}`));
    patiently(() => stage.git("commit", "--quiet", "--message=By hand", "--", `person/${name}`));
    return `person/${name}`;
  }
  const clone = join(stage.home, "other");
  if (!existsSync(clone)) stage.git("clone", "--quiet", world.bare ?? "", clone);
  stage.git("-C", clone, "pull", "--quiet", "--ff-only");
  mkdirSync(join(clone, "person"), { recursive: true });
  writeFileSync(join(clone, "person", name), `${token}\n`);
  stage.git("-C", clone, "add", "--all");
  stage.git("-C", clone, "commit", "--quiet", "--message=By hand");
  patiently(() => {
    stage.git("-C", clone, "pull", "--quiet", "--rebase");
    stage.git("-C", clone, "push", "--quiet", "origin", "HEAD:main");
  });
  return `person/${name}, from another clone`;
};

/** Git refuses while someone else writes the same index or ref. */
export function patiently(act: () => unknown): void {
  for (let attempt = 1; ; attempt++) {
    try {
      return void act();
    } catch (error) {
      if (attempt === 40) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
    }
  }
}

const collectGarbage: Act = async (world) => {
  const { stage } = world;
  // Git advises against more than that while another process writes.
  if (processesOf(world).length > 0) {
    patiently(() => stage.git("gc", "--quiet"));
    return "what is old";
  }
  const lost = storyIds(world).filter((id) => world.deleted.has(id) && !hasBranch(world, id));
  for (const id of lost) throwAway(world, id);
  patiently(() => stage.git("reflog", "expire", "--expire=now", "--all"));
  patiently(() => stage.git("gc", "--quiet", "--prune=now"));
  return "all that nothing leads to, reflogs too";
};

const hasBranch = (world: World, storyId: string): boolean =>
  [...knownTips(world.stage).values()].includes(`story/${storyId}`);

export const EDITS = {
  "edit a description": byHand(editDescription),
  "edit a journal": byHand(editJournal),
  "add a task": byHand(addTask),
  "add a pool task": byHand(addPoolTask),
  "edit in a worktree": byHand(editInWorktree),
  "edit in the checkout": byHand(editInCheckout),
  "remove a worktree": byHand(removeWorktree),
  "delete a branch": byHand(deleteBranch),
  "commit on main": byHand(commitOnMain),
  "collect garbage": byHand(collectGarbage),
} satisfies Partial<Record<Step["kind"], Act>>;
