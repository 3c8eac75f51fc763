// `saga run --rehearse`: runs a story (worktree, set-up, hooks, checks, commits, pull request) on a throw-away copy of
// the project, with the real Claude Code and a scripted model. The project is not changed, and no token is spent.

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
import { openStore } from "../../store/file-store.ts";
import { layoutOf } from "../../store/project/layout.ts";
import { editConfig } from "../../store/write/edit-config.ts";
import type { StoryRecord } from "../../store/project/read.ts";
import type { Store } from "../../store/store.ts";
import { scriptedAgent, type AgentStep } from "../../rehearsal/scripted-agent.ts";
import { startModel } from "../../rehearsal/model-server.ts";
import type { AllowedFiles } from "../../rehearsal/proof.ts";
import { rehearsalEnv } from "../../rehearsal/stage-home.ts";
import { stepsOfTask } from "../../rehearsal/steps.ts";
import type { CommandResult, CommandContext } from "../program/command.ts";
import { runWorker } from "../start/run-worker.ts";
import type { RunOptions } from "../start/run-options.ts";

export async function rehearse(
  context: CommandContext,
  storyId: string,
  options: RunOptions & { readonly json?: boolean },
): Promise<CommandResult> {
  const store = context.openProject();
  const record = await store.readStory(storyId);
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "saga-rehearsal-")));
  const copy = join(folder, "project");
  const model = await startModel(scriptedAgent((taskId) => rehearsedSteps(record, copy, taskId)));
  try {
    await copyProject(context, store, copy);
    const env = rehearsalEnv(context.io.env, { folder, modelUrl: model.url() });
    const { io } = context;
    const result = await runWorker(
      { io: { ...io, env }, cwd: copy, openProject: () => openStore(copy) },
      storyId,
      options,
    );
    return { ...result, text: () => outcomeText(result) };
  } finally {
    await model.close();
    rmSync(folder, { recursive: true, force: true });
  }
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

const outcomeText = ({ exitCode = 0 }: CommandResult): string =>
  exitCode === 0
    ? "Rehearsal passed: worktree, set-up, Claude Code, hooks, commits and pull request work here.\nNothing was spent: the cost above is made up by the scripted model.\n"
    : [
        "Rehearsal failed; the lines above say why. It ran on a copy, which is deleted.",
        "The scripted model only writes a small file. A check that needs the real work fails, unless the task's field `rehearsal` says what to do.",
        "",
      ].join("\n");

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
