// `saga epic run --rehearse`: every story of an epic, in its order, with merges, on a throw-away copy of the
// project, with the real Claude Code and a scripted model. Its sessions are in a tmux server of their own. The
// project itself is not touched, and not a token is spent.

import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SagaError } from "../../errors.ts";
import { openGit } from "../../machine/programs/git.ts";
import { openTmux } from "../../machine/programs/tmux.ts";
import { startModel, type Turn } from "../../rehearsal/model-server.ts";
import { obedient } from "../../rehearsal/obedient.ts";
import { rehearsalEnvironment } from "../../rehearsal/stage-home.ts";
import { editConfig } from "../../store/write/edit-config.ts";
import { openStore } from "../../store/file-store.ts";
import { layoutOf } from "../../store/project/layout.ts";
import type { StoryRecord } from "../../store/project/read.ts";
import type { Store } from "../../store/store.ts";
import { storyWorktree } from "../../story/definition/names.ts";
import type { CommandResult, CommandContext } from "../program/command.ts";
import { copyProject, rehearsedSteps } from "./story.ts";
import { sagaSessions } from "../watch/session-list.ts";
import { stopStory } from "../watch/stop-story.ts";

export async function rehearseEpic(
  context: CommandContext,
  epicId: string,
  /** Runs the epic where the session is. */
  run: (onCopy: CommandContext) => Promise<CommandResult>,
): Promise<CommandResult> {
  const store = context.openProject();
  const records = await readStories(store, epicId);
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "saga-rehearsal-")));
  const copy = join(folder, "project");
  const model = await startModel(
    obedient((taskId, turn) => {
      const record = storyOf(turn, records);
      return record ? rehearsedSteps(record, copy, taskId) : [];
    }),
  );
  const env = {
    ...rehearsalEnvironment(context.io.env, { folder, modelUrl: model.url() }),
    TMUX_TMPDIR: makeFolder(join(folder, "tmux")),
    SAGA_SESSION_DIR: join(folder, "sessions"),
  };
  try {
    await prepareCopy(context, store, copy);
    const openProject = (): Store => openStore(copy);
    const answer = await run({ io: { ...context.io, env }, cwd: copy, openProject });
    return { ...answer, text: (paint) => `${answer.text(paint)}${said(answer)}` };
  } finally {
    await endSessions(openStore(copy), env);
    await model.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Those that can be read: the run says of the others what is wrong with them. */
async function readStories(store: Store, epicId: string): Promise<StoryRecord[]> {
  const { epic } = await store.readEpic(epicId);
  const records: StoryRecord[] = [];
  for (const { id } of epic.children) {
    try {
      records.push(await store.readStory(id));
    } catch (error) {
      if (!(error instanceof SagaError)) throw error;
    }
  }
  return records;
}

/** Claude Code tells the model the folder it is in; tasks of different stories may have the same id. */
function storyOf({ messages }: Turn, records: readonly StoryRecord[]): StoryRecord | undefined {
  const first = messages[0]?.content.map((part) => (part.type === "text" ? part.text : "")) ?? [];
  const all = JSON.stringify(messages);
  return (
    records.find(({ id }) => first.some((text) => text.includes(`${storyWorktree(id)}\n`))) ??
    records.find(({ id }) => all.includes(storyWorktree(id)))
  );
}

const makeFolder = (path: string): string => {
  mkdirSync(path, { mode: 0o700 });
  return path;
};

/** Merges move its checkout, which nobody works in, and nobody is told of them. `adapt` changes what is committed then. */
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
  await git.ask(["add", "--all"]);
  await git.ask([
    ...identity,
    "commit",
    "--quiet",
    "--no-verify",
    "--allow-empty",
    "--message=Rehearsal",
  ]);
}

/** A run that was stopped leaves its workers; here they have nothing to go on with. */
export async function endSessions(store: Store, env: CommandContext["io"]["env"]): Promise<void> {
  const sessions = await sagaSessions(env).catch(() => []);
  for (const { storyId } of sessions) {
    if (storyId !== undefined) await stopStory(store, storyId, env, async () => undefined);
  }
  for (const { name } of await sagaSessions(env).catch(() => [])) await openTmux(env).end(name);
}

const said = ({ exitCode = 0 }: CommandResult): string =>
  exitCode === 0
    ? "The rehearsal went well. Nothing was spent: the cost above is what the scripted model makes up.\n"
    : [
        "The rehearsal did not come to its end; the lines above say why. It was on a copy, which is gone again.",
        "A scripted model leaves no more than a mark: a check that asks for the work itself fails here, unless the task's field `rehearsal` says what to do.",
        "",
      ].join("\n");
