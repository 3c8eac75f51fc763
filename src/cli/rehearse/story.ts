// `saga run --rehearse`: the whole way of a story (worktree, set-up, hooks, checks, commits, pull
// request) on a throw-away copy of the project, with the real Claude Code and a scripted model. The
// project itself is not touched, and not a token is spent.

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
import type { StoryRecord } from "../../store/project/read.ts";
import type { Store } from "../../store/store.ts";
import { obedient, type AgentStep } from "../../rehearsal/obedient.ts";
import { startModel } from "../../rehearsal/model-server.ts";
import type { ProofPlace } from "../../rehearsal/proof.ts";
import { rehearsalEnvironment } from "../../rehearsal/stage-home.ts";
import { stepsOfTask } from "../../rehearsal/steps.ts";
import type { CommandResult, CommandContext } from "../program/command.ts";
import { workOn } from "../start/run-worker.ts";
import { plain } from "../output/terminal.ts";
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
  const model = await startModel(obedient((taskId) => rehearsedSteps(record, copy, taskId)));
  try {
    await copyProject(context, store, copy);
    const env = rehearsalEnvironment(context.io.env, { folder, modelUrl: model.url() });
    const { io } = context;
    const answer = await workOn(
      { io: { ...io, env }, cwd: copy, openProject: () => openStore(copy) },
      storyId,
      options,
    );
    return { ...answer, text: () => said(answer, folder) };
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
  const look: ProofPlace["look"] = (path) => {
    const file = join(copy, path);
    if (ifThere(() => statSync(file))?.isDirectory()) return "folder";
    const text = readTextIfThere(file);
    return text === undefined ? undefined : { text };
  };
  // Every story without tasks is done as one of the same name: the mark of each must be a change.
  const mark = `${story.id}.${taskId}`;
  return stepsOfTask(mark, taskFields.get(taskId)?.["rehearsal"], { globs, look });
}

const said = ({ exitCode = 0 }: CommandResult, folder: string): string =>
  exitCode === 0
    ? "The rehearsal went well: worktree, set-up, Claude Code, hooks, commits and pull request work here.\nNothing was spent: the cost above is what the scripted model makes up.\n"
    : [
        `The rehearsal did not come to its end; the lines above say why. (${plain(folder)} is gone again.)`,
        "A scripted model leaves no more than a mark: a check that asks for the work itself fails here, unless the task's field `rehearsal` says what to do.",
        "",
      ].join("\n");

/** A clone without a remote, so that nothing can leave it, with what is not committed yet. */
export async function copyProject(
  { io }: CommandContext,
  store: Store,
  copy: string,
): Promise<void> {
  const git = openGit(store.project, io.env);
  await git.ask(["clone", "--quiet", "--local", "--no-checkout", "--", store.project, copy]);
  const clone = openGit(copy, io.env);
  const branch = await git.attempt(["symbolic-ref", "--short", "HEAD"]);
  const head = await git.ask(["rev-parse", "HEAD"]);
  await clone.ask(["remote", "remove", "origin"]);
  await clone.ask(["checkout", "--quiet", "-B", branch.stdout || "rehearsal", head]);
  for (const name of ["config.toml", "stories", "epics", "archive"]) {
    const from = join(store.project, ".saga", name);
    if (existsSync(from)) cpSync(from, join(copy, ".saga", name), { recursive: true });
  }
  const { copy: copied, link } = (await store.settings()).worktree;
  for (const path of [...copied, ...link]) {
    const from = join(store.project, path);
    if (!existsSync(from)) continue;
    mkdirSync(dirname(join(copy, path)), { recursive: true });
    cpSync(from, join(copy, path), { recursive: true, verbatimSymlinks: true });
  }
}
