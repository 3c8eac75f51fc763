// `saga auto --rehearse`: runs and merges all ready tasks on throw-away copies of the project and the list, with the
// real Claude Code and a scripted model.

import type { Context } from "../../context.ts";
import { cpSync, existsSync, mkdirSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { requireReadable } from "../../tasks/list-owner.ts";
import { poolLocation, type PoolLocation } from "../../tasks/location.ts";
import { taskFileName, taskIdsIn } from "../../claude/tasks/file.ts";
import { readTaskList, taskListFolder } from "../../claude/tasks/list.ts";
import type { Environment } from "../../machine/processes/environment.ts";
import { openGit } from "../../machine/programs/git.ts";
import { poolAgent } from "../../rehearsal/pool-agent.ts";
import { stepsOfTask } from "../../rehearsal/steps.ts";
import { findBase, findRepository } from "../../repo/repository.ts";
import { editConfig } from "../../store/write/edit-config.ts";
import { layoutOf } from "../../store/project/layout.ts";
import { EXIT } from "../../story/state/exit-codes.ts";
import type { CommandResult, CommandContext } from "../program/command.ts";
import { runPool, type AutoOptions } from "../pool/pool-daemon.ts";
import { onStage, prepareCopy } from "./copy.ts";

export async function rehearsePool(
  context: CommandContext,
  { workers }: Pick<AutoOptions, "workers">,
): Promise<CommandResult> {
  const store = context.openProject();
  const settings = await store.settings();
  const place = poolLocation(settings, { project: store.project, env: context.io.env });
  requireReadable(place, store.project);
  const tasks = await readTaskList(place.list);
  const scripts = new Map(tasks.map(({ id, metadata }) => [id, metadata?.["rehearsal"]]));
  const script = () => poolAgent((taskId) => stepsOfTask(taskId, scripts.get(taskId)));
  return onStage(context, script, async (onCopy) => {
    copyList(place, onCopy.io.env);
    await copyPoolProject(context, { store, settings, place }, onCopy.cwd);
    const once = { once: true, updateCheckout: true };
    return rehearsalResult(
      await runPool(onCopy, workers === undefined ? once : { ...once, workers }),
    );
  });
}

/** Only the tasks: claims and the owner belong to the real list. */
function copyList({ listId, list }: PoolLocation, env: Environment): void {
  const to = taskListFolder(env, listId);
  mkdirSync(to, { recursive: true });
  for (const id of taskIdsIn(list)) {
    cpSync(join(list, taskFileName(id)), join(to, taskFileName(id)));
  }
}

interface Original extends Pick<Context, "store" | "settings"> {
  readonly place: PoolLocation;
}

/** Copies the target and the context file too, and adapts the settings so that everything stays in the copies. */
async function copyPoolProject(
  context: CommandContext,
  { store, settings, place }: Original,
  copy: string,
): Promise<void> {
  const { env } = context.io;
  const { project } = store;
  const repository = await findRepository(project, env);
  const base = await findBase(repository, settings.auto.target ?? settings.git.base);
  await prepareCopy(context, store, copy, async () => {
    const at = layoutOf(copy);
    await editConfig(at, "auto.tasks_root", undefined);
    await editConfig(at, "auto.task_list_id", place.listId);
    await editConfig(at, "auto.target", base.target);
    // The scripted model would fail the same way again.
    await editConfig(at, "auto.max_attempts", 1);
    copyContext(project, place.contextFile, copy);
  });
  const git = openGit(copy, env);
  const target = `refs/heads/${base.target}`;
  const isThere = (await git.attempt(["rev-parse", "--quiet", "--verify", target])).isOk;
  if (!isThere) await git.ask(["update-ref", target, base.commit]);
}

/** The file may not be committed. A file outside the project is used where it is. */
function copyContext(project: string, file: string, copy: string): void {
  const path = relative(project, file);
  if (path.startsWith("..") || !existsSync(file)) return;
  mkdirSync(dirname(join(copy, path)), { recursive: true });
  cpSync(file, join(copy, path));
}

/** Tasks that were on hold before do not fail the rehearsal. */
export function rehearsalResult(result: CommandResult): CommandResult {
  const json = result.json as PoolRunJson;
  const { ended, completed, failed, held } = json;
  const isPassed = ended === "done" && failed.length === 0 && held.length === 0;
  const exitCode = isPassed ? EXIT.done : result.exitCode || EXIT.error;
  const last = !isPassed ? FAILED : completed.length > 0 ? SUCCEEDED : EMPTY;
  return {
    json: { ...json, exitCode },
    text: (paint) => `${result.text(paint)}${last}`,
    exitCode,
  };
}

interface PoolRunJson {
  readonly ended: string;
  readonly completed: readonly string[];
  readonly failed: readonly string[];
  readonly held: readonly string[];
}

const SUCCEEDED =
  "Rehearsal passed: task list, worktrees, set-up, Claude Code, checks and merges work here.\nNothing was spent, and the project and its list are unchanged.\n";
const EMPTY = "Nothing to rehearse: no task of the list can be started.\n";
const FAILED = [
  "Rehearsal failed; the lines above say why. It ran on copies, which are deleted; the project and its list are unchanged.",
  "The scripted model only writes a small file. A check that needs the real work fails, unless the field `rehearsal` in the task's metadata says what to do.",
  "",
].join("\n");
