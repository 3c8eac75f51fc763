// The stage of a rehearsal: a throw-away copy of the project, a scripted model, and a tmux server of its own. The
// project is not changed, and no token is spent.

import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { declaredWrites } from "../../gate/globs.ts";
import { ifThere, readTextIfThere } from "../../machine/files/files.ts";
import { openGit } from "../../machine/programs/git.ts";
import { openTmux } from "../../machine/programs/tmux.ts";
import { startModel, type Script } from "../../rehearsal/model-server.ts";
import type { AllowedFiles } from "../../rehearsal/default-steps.ts";
import type { AgentStep } from "../../rehearsal/scripted-agent.ts";
import { rehearsalEnv } from "../../rehearsal/stage-home.ts";
import { stepsOfTask } from "../../rehearsal/steps.ts";
import { openStore } from "../../store/file-store.ts";
import { layoutOf } from "../../store/project/layout.ts";
import type { StoryRecord } from "../../store/project/read.ts";
import type { Store } from "../../store/store.ts";
import { editConfig } from "../../store/write/edit-config.ts";
import type { CommandContext, CommandResult } from "../program/command.ts";
import { sagaSessions } from "../watch/session-list.ts";
import { stopStory } from "../watch/stop-story.ts";

/** `act` gets the context of the copy, which it still has to fill. All of it is gone afterwards. */
export async function onStage<T>(
  { io }: CommandContext,
  script: (copy: string) => Script,
  act: (onCopy: CommandContext) => Promise<T>,
): Promise<T> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "saga-rehearsal-")));
  const copy = join(folder, "project");
  const model = await startModel(script(copy));
  const env = {
    ...rehearsalEnv(io.env, { folder, modelUrl: model.url() }),
    TMUX_TMPDIR: join(folder, "tmux"),
    SAGA_SESSION_DIR: join(folder, "sessions"),
  };
  const openProject = (): Store => openStore(copy);
  try {
    mkdirSync(env.TMUX_TMPDIR, { mode: 0o700 });
    return await act({ io: { ...io, env }, cwd: copy, openProject });
  } finally {
    if (existsSync(copy)) await endSessions(openProject(), env);
    await model.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A stopped run leaves its workers running; the copy is about to be deleted. */
async function endSessions(store: Store, env: CommandContext["io"]["env"]): Promise<void> {
  const sessions = await sagaSessions(env).catch(() => []);
  for (const { storyId } of sessions) {
    if (storyId !== undefined) await stopStory(store, storyId, env, async () => undefined);
  }
  for (const { name } of await sagaSessions(env).catch(() => [])) await openTmux(env).end(name);
}

export function rehearsedSteps(
  { story, tasks, taskFields }: StoryRecord,
  copy: string,
  taskId: string,
): readonly AgentStep[] {
  const own = tasks.find(({ id }) => id === taskId)?.writeFiles ?? [];
  const declared = declaredWrites(story, tasks);
  const globs = declared && [...own, ...declared];
  const look: AllowedFiles["look"] = (path) => {
    const file = join(copy, path);
    if (ifThere(() => statSync(file))?.isDirectory()) return "folder";
    const text = readTextIfThere(file);
    return text === undefined ? undefined : { text };
  };
  // Every story without tasks is done as one of the same name: the mark of each must be a change.
  const mark = `${story.id}.${taskId}`;
  return stepsOfTask(mark, taskFields.get(taskId)?.["rehearsal"], { globs, look });
}

/** A clone without a remote, so that nothing can be pushed, plus Saga's uncommitted files. */
export async function copyProject(
  { io }: CommandContext,
  store: Store,
  copy: string,
): Promise<void> {
  const git = openGit(store.project, io.env);
  // Not `--local`: with it git refuses to copy to another file system, as the temporary folder often is.
  await git.ask(["clone", "--quiet", "--no-checkout", "--", store.project, copy]);
  const clone = openGit(copy, io.env);
  const branch = await git.attempt(["symbolic-ref", "--short", "HEAD"]);
  const head = await git.ask(["rev-parse", "HEAD"]);
  await clone.ask(["remote", "remove", "origin"]);
  await clone.ask(["checkout", "--quiet", "-B", branch.stdout || "rehearsal", head]);
  for (const name of ["config.toml", "stories", "epics", "archive"]) {
    const from = join(store.project, ".saga", name);
    if (existsSync(from)) cpSync(from, join(copy, ".saga", name), { recursive: true });
  }
  const { worktree, fleet } = await store.settings();
  // The copy is this machine's alone.
  if (fleet.name !== undefined) await editConfig(layoutOf(copy), "fleet.name", undefined);
  const { copy: copied, link } = worktree;
  for (const path of [...copied, ...link]) {
    const from = join(store.project, path);
    if (!existsSync(from)) continue;
    mkdirSync(dirname(join(copy, path)), { recursive: true });
    cpSync(from, join(copy, path), { recursive: true, verbatimSymlinks: true });
  }
}

/** A committed copy for merges, which update its checkout; notifications are off. `adapt` makes further changes before. */
export async function prepareCopy(
  context: CommandContext,
  store: Store,
  copy: string,
  adapt: () => Promise<void> = async () => undefined,
): Promise<void> {
  await copyProject(context, store, copy);
  const at = layoutOf(copy);
  await editConfig(at, "delivery.update_checkout", true);
  await editConfig(at, "notices.on", []);
  await adapt();
  const git = openGit(copy, context.io.env);
  const identity = ["-c", "user.name=Saga", "-c", "user.email=saga@localhost"];
  const commit = ["commit", "--quiet", "--no-verify", "--allow-empty", "--message=Rehearsal"];
  await git.ask(["add", "--all"]);
  await git.ask([...identity, ...commit]);
}

export const outcomeText = ({ exitCode = 0 }: CommandResult, succeeded: string): string =>
  exitCode === 0
    ? `${succeeded}\n`
    : [
        "Rehearsal failed; the lines above say why. It ran on a copy, which is deleted.",
        "The scripted model only writes a small file. A check that needs the real work fails, unless the task's field `rehearsal` says what to do.",
        "",
      ].join("\n");
