// `saga epic run --rehearse`: runs and merges an epic's stories on a throw-away copy of the project, with the real
// Claude Code and a scripted model. Its sessions have their own tmux server. The project is not changed, and no token
// is spent.

import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SagaError } from "../../errors.ts";
import { openGit } from "../../machine/programs/git.ts";
import { openTmux } from "../../machine/programs/tmux.ts";
import { startModel, type Turn } from "../../rehearsal/model-server.ts";
import { scriptedAgent } from "../../rehearsal/scripted-agent.ts";
import { rehearsalEnv } from "../../rehearsal/stage-home.ts";
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
  /** Runs the epic on the copy. */
  run: (onCopy: CommandContext) => Promise<CommandResult>,
): Promise<CommandResult> {
  const store = context.openProject();
  const records = await readStories(store, epicId);
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "saga-rehearsal-")));
  const copy = join(folder, "project");
  const model = await startModel(
    scriptedAgent((taskId, turn) => {
      const record = storyOf(turn, records);
      return record ? rehearsedSteps(record, copy, taskId) : [];
    }),
  );
  const env = {
    ...rehearsalEnv(context.io.env, { folder, modelUrl: model.url() }),
    TMUX_TMPDIR: makeFolder(join(folder, "tmux")),
    SAGA_SESSION_DIR: join(folder, "sessions"),
  };
  try {
    await prepareCopy(context, store, copy);
    const openProject = (): Store => openStore(copy);
    const result = await run({ io: { ...context.io, env }, cwd: copy, openProject });
    return { ...result, text: (paint) => `${result.text(paint)}${outcomeText(result)}` };
  } finally {
    await endSessions(openStore(copy), env);
    await model.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Skips unreadable stories: the run reports them. */
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

/** Finds the story by its worktree, which Claude Code names in the prompt: task ids are not unique across stories. */
export function storyOf<R extends Pick<StoryRecord, "id">>(
  { messages }: Pick<Turn, "messages">,
  records: readonly R[],
): R | undefined {
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

/** Merges update the copy's checkout, and notifications are off. `adapt` makes further changes before the commit. */
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

/** A stopped run leaves its workers running; the copy is about to be deleted. */
export async function endSessions(store: Store, env: CommandContext["io"]["env"]): Promise<void> {
  const sessions = await sagaSessions(env).catch(() => []);
  for (const { storyId } of sessions) {
    if (storyId !== undefined) await stopStory(store, storyId, env, async () => undefined);
  }
  for (const { name } of await sagaSessions(env).catch(() => [])) await openTmux(env).end(name);
}

const outcomeText = ({ exitCode = 0 }: CommandResult): string =>
  exitCode === 0
    ? "Rehearsal passed. Nothing was spent: the cost above is made up by the scripted model.\n"
    : [
        "Rehearsal failed; the lines above say why. It ran on a copy, which is deleted.",
        "The scripted model only writes a small file. A check that needs the real work fails, unless the task's field `rehearsal` says what to do.",
        "",
      ].join("\n");
