// A story's work as git has it: its branch, where that began, and what it is to be merged into. For
// whoever judges and delivers it.

import { SagaError } from "../errors.ts";
import type { GateWork, Range } from "../gate/story-gate.ts";
import type { Environment } from "../machine/environment.ts";
import type { Forge } from "../machine/forge.ts";
import type { Git } from "../machine/git.ts";
import { findBase, findRepository, type Base, type Repository } from "../repo/base.ts";
import { knownBase } from "../repo/known-base.ts";
import { openForge } from "../repo/open-forge.ts";
import { commitOf } from "../repo/refs.ts";
import type { StoryRecord } from "../store/read.ts";
import type { Store } from "../store/store.ts";
import { epicBranch, storyBranch } from "../story/names.ts";
import { isDeliveredAsOne, type Settings } from "../story/settings.ts";

export interface Around {
  readonly store: Store;
  readonly env: Environment;
  readonly now: () => number;
  /** For those who wait. */
  readonly onStep?: ((about: string) => void) | undefined;
  readonly stop?: AbortSignal | undefined;
}

export interface StoryWork {
  readonly around: Around;
  readonly store: Store;
  readonly settings: Settings;
  readonly repository: Repository;
  readonly forge: Forge;
  readonly record: StoryRecord;
  readonly branch: string;
  readonly base: Base;
  readonly range: Range;
  /** At the story's worktree, while it has one. */
  readonly worktree: Git | undefined;
}

export async function findWork(around: Around, storyId: string): Promise<StoryWork> {
  const { store } = around;
  const record = await store.readStory(storyId);
  const settings = await store.settings();
  const repository = await findRepository(store.project, around.env);
  const branch = record.story.branch ?? storyBranch(storyId);
  const commit = await commitOf(repository.git, `refs/heads/${branch}`);
  if (commit === undefined) {
    throw new SagaError("not-ready", `The story ${storyId} has no branch ${branch}.`, {
      hint: `Nothing was done for it yet; \`saga run ${storyId}\` begins.`,
    });
  }
  const forge = openForge(repository, { settings, env: around.env, now: around.now });
  const base = await baseOf(around, { repository, forge, settings, storyId });
  const found = await repository.git.attempt(["merge-base", base.commit, commit]);
  return {
    around,
    store,
    settings,
    repository,
    forge,
    record,
    branch,
    base,
    range: { from: found.stdout || base.commit, commit },
    worktree:
      record.source === "worktree"
        ? repository.git.at(record.folder.slice(0, record.folder.lastIndexOf("/.saga/stories/")))
        : undefined,
  };
}

interface Asked {
  readonly repository: Repository;
  readonly forge: Forge;
  readonly settings: Settings;
  readonly storyId: string;
}

/** The same that the worker began from: the epic's branch where the epic is delivered as one. */
async function baseOf(
  { store }: Around,
  { repository, forge, settings, storyId }: Asked,
): Promise<Base> {
  const { epicId } = await store.viewStory(storyId);
  const epic = epicId === undefined ? undefined : (await store.readEpic(epicId)).epic;
  if (epic === undefined || !isDeliveredAsOne(epic, settings)) {
    const setting = settings.git.base ?? (await knownBase(repository.git, forge, storyId));
    return findBase(repository, setting);
  }
  const branch = epicBranch(epic.id);
  for (const ref of epicRefs(repository, branch)) {
    const commit = await commitOf(repository.git, ref);
    if (commit !== undefined) return { branch, target: branch, commit, ref, warnings: [] };
  }
  throw new SagaError("not-found", `The branch ${branch} of the epic is gone.`, {
    hint: `\`saga run ${storyId}\` makes it again; nothing was merged.`,
  });
}

/** Where an epic's branch may be: at the remote first, which is where it lives when there is one. */
export const epicRefs = ({ remote }: Repository, branch: string): string[] => [
  ...(remote ? [`refs/remotes/${remote.name}/${branch}`] : []),
  `refs/heads/${branch}`,
];

export const gateWorkOf = ({ repository, record, settings, around }: StoryWork): GateWork => ({
  repository,
  story: record.story,
  tasks: record.tasks,
  settings,
  env: around.env,
  now: around.now,
  stop: around.stop,
  onStep: around.onStep,
});
