// An epic's branch in git: where it is, what it goes into, and whether all its stories are in it.

import type { Context } from "../../context.ts";
import { SagaError } from "../../errors.ts";
import { ensureEpicBranch } from "../../repo/delivery/epic-branch.ts";
import type { Target } from "../../repo/delivery/target.ts";
import { canPush, openForge, targetPlace } from "../../repo/open-forge.ts";
import { fetchAndFindBase, findRepository, type Base } from "../../repo/repository.ts";
import type { Epic } from "../../story/definition/epic.ts";
import { epicBranch, epicDelivery } from "../../story/definition/names.ts";
import { isDeliveredAsOne } from "../../story/settings/settings.ts";
import type { DeliverContext } from "../story-work.ts";

export interface EpicWork extends Pick<Context, "settings" | "repository" | "forge"> {
  readonly context: DeliverContext;
  readonly epic: Epic;
  readonly base: Base;
  readonly target: Target;
}

export async function findEpicWork(context: DeliverContext, epicId: string): Promise<EpicWork> {
  const { store, env, now, stop } = context;
  const { epic } = await store.readEpic(epicId);
  const settings = await store.settings();
  if (!isDeliveredAsOne(epic, settings)) {
    throw new SagaError(
      "not-ready",
      `Cannot merge the epic ${epicId} as a whole: its stories are merged one by one.`,
      {
        hint: `Merge a finished story: \`saga merge <story>\`. To run the other stories and merge each as it passes: \`saga epic run ${epicId} --merge\`.`,
      },
    );
  }
  const repository = await findRepository(store.project, env);
  const forge = openForge(repository, { settings, env, now });
  const setting = settings.git.base;
  const base = await fetchAndFindBase(repository, { setting, storyId: epicDelivery(epicId), stop });
  const place = targetPlace(repository, settings, forge);
  const target: Target = { branch: base.target, place };
  return { context, epic, settings, repository, forge, base, target };
}

export const findEpicBranch = ({ repository, epic, base, settings, forge, context }: EpicWork) =>
  ensureEpicBranch({
    repository,
    epicId: epic.id,
    base,
    canPush: canPush(repository, settings, forge),
    stop: context.stop,
  });

/** All stories must be in the epic's branch, except for a persistent epic. */
export async function requireStories({ context, epic }: EpicWork): Promise<void> {
  const ids = epic.children.map(({ id }) => id);
  const { stories, archived } = await context.store.overview(new Set(ids));
  const refusal = epicRefusal(epic, (id) =>
    archived.has(id) ? "completed" : (stories.get(id)?.state ?? "missing"),
  );
  if (refusal !== undefined) throw refusal;
}

export function epicRefusal(
  { id, children, persistent }: Pick<Epic, "id" | "children" | "persistent">,
  stateOf: (storyId: string) => string,
): SagaError | undefined {
  const open = children
    .map((child) => ({ child: child.id, state: stateOf(child.id) }))
    .filter(({ state }) => state !== "completed")
    .map(({ child, state }) => `${child} (${state})`);
  if (children.length > 0 && (open.length === 0 || persistent)) return undefined;
  return new SagaError(
    "not-ready",
    children.length === 0
      ? `Cannot merge the epic ${id}: it has no stories.`
      : `Cannot merge the epic ${id}: not all of its stories are merged into ${epicBranch(id)}: ${open.join(", ")}.`,
    { hint: `Run its stories: \`saga epic run ${id}\`.` },
  );
}
