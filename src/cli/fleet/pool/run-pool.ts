// `saga auto --fleet`: gives the tasks of the pool's list to the fleet, and follows them. Each task becomes a story of an
// epic that is named after the list, so it is claimed, fenced, pushed and merged like every story. Ending this command ends
// nothing else; the next call continues where it was.

import { SagaError } from "../../../errors.ts";
import { findSecretsBetween } from "../../../gate/diff-gate.ts";
import { rewriteTask } from "../../../claude/tasks/list.ts";
import type { ClaudeCodeTask } from "../../../claude/tasks/format.ts";
import type { FleetStory } from "../../../fleet/view/read-fleet.ts";
import { readObjects } from "../../../machine/programs/object-reader.ts";
import { contextFor, readContextFile } from "../../../pool/list/context-file.ts";
import { checksOf } from "../../../pool/result/merged-task.ts";
import { findBase, findRepository } from "../../../repo/repository.ts";
import { followBase } from "../../../repo/sharing/follow-base.ts";
import { publishFiles } from "../../../repo/sharing/publish-files.ts";
import { formatDocument } from "../../../store/project/json-text.ts";
import type { Store } from "../../../store/store.ts";
import { epicSchema } from "../../../story/definition/epic.ts";
import { asReleased } from "../../../tasks/claims/claimed-task.ts";
import { isRunning, readDaemons } from "../../../tasks/daemon-files.ts";
import { requireOwned } from "../../../tasks/list-owner.ts";
import { poolLocation, type PoolLocation } from "../../../tasks/location.ts";
import { readList } from "../../../tasks/read-list.ts";
import { parseJson } from "../../../text/parse-json.ts";
import { count } from "../../../text/plural.ts";
import type { CommandContext, CommandResult } from "../../program/command.ts";
import { runEpicOnFleet } from "../follow-epic.ts";
import { fleetOwner, isOnFleet } from "./fleet-owner.ts";
import { findOtherWork, planTasks, withStories, type TaskPlan } from "./plan-tasks.ts";
import type { Context } from "../../../context.ts";

interface PoolPlace extends Pick<Context, "store" | "settings" | "repository"> {
  readonly place: PoolLocation;
}

export async function runPoolOnFleet(
  context: CommandContext,
  { detach }: { readonly detach: boolean },
): Promise<CommandResult> {
  const { io, openProject } = context;
  const pool = await requireFleetPool(openProject(), io);
  const plan = await readPlan(pool);
  const { list } = pool.place;
  for (const [id, why] of plan.left) io.writeError(`Task ${id} stays here: ${why}\n`);
  if (plan.stories.size === 0) return nothingToDo(pool.place.listId, plan);
  await requireCurrent(pool);
  await requireOwnStories(pool, plan);
  const marked = await markTasks(list, plan);
  await publishPlan(pool, plan).catch(async (error: unknown) => {
    for (const id of marked) await changeTask(list, id, asReturned);
    throw error;
  });
  await requireCurrent(pool);
  const taskOf = new Map([...plan.stories].map(([task, { story }]) => [story.id, task]));
  const done = new Set<string>();
  // Merged since the last call, which may have ended before.
  const { stories: known } = await pool.store.overview(new Set(taskOf.keys()));
  for (const [story, task] of taskOf) {
    if (known.get(story)?.state !== "completed") continue;
    await changeTask(list, task, asCompleted);
    done.add(task);
  }
  const onLook = async (stories: readonly FleetStory[]): Promise<void> => {
    for (const story of stories) {
      const task = taskOf.get(story.story);
      if (task === undefined || done.has(task)) continue;
      const isDone = story.queue === "done";
      await changeTask(list, task, isDone ? asCompleted : asTaken(story.machine));
      if (isDone) done.add(task);
    }
  };
  const result = await runEpicOnFleet(context, plan.epicId, { merge: true, detach, onLook });
  const tasks = Object.fromEntries([...taskOf].map(([story, task]) => [task, story]));
  return { ...result, json: { ...(result.json as object), tasks } };
}

async function requireFleetPool(store: Store, io: CommandContext["io"]): Promise<PoolPlace> {
  const settings = await store.settings();
  const { project } = store;
  if (settings.fleet.name === undefined) {
    throw new SagaError("not-ready", "This project is not in a fleet.", {
      hint: "Create one with `saga fleet init`. Without --fleet, `saga auto` works on this machine.",
    });
  }
  const place = poolLocation(settings, { project, env: io.env });
  requireOwned(place, project);
  const running = readDaemons(project).find(
    (one) => one.daemon.folder === place.list && isRunning(one),
  );
  if (running !== undefined) {
    throw new SagaError("in-use", `A pool on this machine works on ${place.listId}.`, {
      hint: "Let it finish its tasks first: `saga auto drain`.",
    });
  }
  const repository = await findRepository(project, io.env);
  const { branch } = await findBase(repository, settings.git.base);
  const { target } = settings.auto;
  if (target !== undefined && target !== branch) {
    throw new SagaError("usage", `auto.target is ${target}, but a fleet merges into ${branch}.`, {
      hint: "Set `git.base` for both, or run `saga auto` without --fleet.",
    });
  }
  return { store, settings, repository, place };
}

async function readPlan({ settings, place }: PoolPlace): Promise<TaskPlan> {
  const { board, tasks } = await readList(place.list);
  const [problem] = board.problems();
  if (problem !== undefined) {
    throw new SagaError("bad-file", `The task list ${place.listId}: ${problem.message}`, {
      hint: "Fix it first: `saga task list` shows the tasks.",
    });
  }
  const rules = readContextFile(place.contextFile);
  return planTasks({
    listId: place.listId,
    tasks,
    blockers: board.blockers,
    checksOf: (task) => checksOf({ settings }, task),
    contextOf: (label) => contextFor(rules, label),
  });
}

/** The new stories are read from this checkout, too. */
async function requireCurrent({ repository, settings }: PoolPlace): Promise<void> {
  const { behind } = await followBase(repository, settings.git.base);
  if (behind === undefined) return;
  throw new SagaError("not-ready", behind, {
    hint: "Bring this checkout up to date, and run the command again: it continues from there.",
  });
}

/** A task whose story is done counts as done, so the story must be the task's. */
async function requireOwnStories({ store, place }: PoolPlace, plan: TaskPlan): Promise<void> {
  const ids = [...plan.stories.values()].map(({ story }) => story.id);
  const { stories, archived } = await store.overview(new Set(ids));
  const other = findOtherWork(plan, (id) => {
    if (archived.has(id)) return { title: undefined, isCompleted: true };
    const view = stories.get(id);
    return view && { title: view.record.story.title, isCompleted: view.state === "completed" };
  });
  if (other === undefined) return;
  throw new SagaError(
    "exists",
    `Task ${other.taskId} of ${place.listId} cannot go to the fleet: the story ${other.storyId} exists already, for other work.`,
    {
      hint: `Nothing was changed. Add the task again, so that it gets another number: \`saga task add\`, then \`saga task rm ${other.taskId}\`.`,
    },
  );
}

/** Before anything is published: from here on, no pool of this machine takes them. Returns those that were free. */
async function markTasks(list: string, { stories }: TaskPlan): Promise<readonly string[]> {
  const marked: string[] = [];
  for (const id of stories.keys()) {
    const { found, written } = await rewriteTask(
      list,
      id,
      (file) => {
        const isFree = file.kind === "task" && file.task.status === "pending" && !file.task.owner;
        return isFree ? asTaken(undefined)(file.task) : undefined;
      },
      { isDurable: true },
    );
    if (written) marked.push(id);
    else if (found.kind !== "task" || !isOnFleet(found.task.owner)) {
      throw new SagaError("in-use", `Task ${id} was changed at the same time.`, {
        hint: "Run the command again.",
      });
    }
  }
  return marked;
}

/** Adds what the base does not have. */
async function publishPlan({ repository, settings, place }: PoolPlace, plan: TaskPlan) {
  const { branch } = await findBase(repository, settings.git.base);
  const epicFile = `.saga/epics/${plan.epicId}/epic.json`;
  await publishFiles(repository, {
    branch,
    message: `Share ${count(plan.stories.size, "task")} of ${place.listId} with the fleet`,
    async filesFor(commit) {
      const stories = [...plan.stories.values()];
      const names = stories.map(({ story }) => `.saga/stories/${story.id}/story.json`);
      const [epic, ...known] = await readObjects(
        repository.git,
        [epicFile, ...names].map((name) => `${commit}:${name}`),
      );
      const missing = stories.filter((_, at) => known[at] === undefined);
      const before = epicSchema.safeParse(parseJson(epic?.content.toString() ?? "")).data;
      if (epic !== undefined && before === undefined) {
        throw new SagaError("bad-file", `${epicFile} on ${branch} is not a valid epic.`, {
          hint: "Fix it there, or use another list: `saga config set auto.task_list_id <name>`.",
        });
      }
      const after = withStories(before, plan, place.listId);
      const isSame = before?.children.length === after.children.length;
      if (missing.length === 0 && isSame) return new Map();
      return new Map([
        [epicFile, formatDocument(after)],
        ...missing.flatMap(({ story, task }) => [
          [`.saga/stories/${story.id}/story.json`, formatDocument(story)] as const,
          [`.saga/stories/${story.id}/${task.id}.json`, formatDocument(task)] as const,
        ]),
      ]);
    },
    async judge({ from, to }) {
      const search = { git: repository.git, from, to, settings: settings.gate };
      const [secret] = await findSecretsBetween(search);
      if (secret === undefined) return;
      throw new SagaError(
        "not-ready",
        `A task contains a secret, so nothing was shared: ${secret.message}`,
        {
          hint: "Remove it from the task: `saga task edit <id> --description …`.",
        },
      );
    },
  });
}

type ChangeTask = (task: ClaudeCodeTask) => ClaudeCodeTask;

/** Only while the fleet has it: a person may have taken it back. */
async function changeTask(list: string, id: string, change: ChangeTask): Promise<void> {
  await rewriteTask(
    list,
    id,
    (file) => {
      if (file.kind !== "task" || !isOnFleet(file.task.owner)) return undefined;
      const after = change(file.task);
      return after.owner === file.task.owner && after.status === file.task.status
        ? undefined
        : after;
    },
    { isDurable: true },
  );
}

const asTaken =
  (machine: string | undefined): ChangeTask =>
  (task) => ({ ...task, status: "in_progress", owner: fleetOwner(machine) });

const asReturned: ChangeTask = (task) => asReleased(task, "pending");
const asCompleted: ChangeTask = (task) => asReleased(task, "completed");

const nothingToDo = (listId: string, { epicId }: TaskPlan): CommandResult => ({
  json: { epic: epicId, queued: [], stories: [], isDone: true, tasks: {} },
  text: () => `${listId} has no task for the fleet.\n`,
});
