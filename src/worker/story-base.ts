// What a story starts from and goes into: the project's base, or the branch of its epic where the epic
// is delivered as one.

import { SagaError } from "../errors.ts";
import type { Forge } from "../machine/forge/forge.ts";
import { fetchAndFindBase, type Base, type Repository } from "../repo/repository.ts";
import { ensureEpicBranch } from "../repo/delivery/epic-branch.ts";
import { knownBase } from "../repo/known-base.ts";
import { canPush } from "../repo/open-forge.ts";
import { commitOf } from "../repo/refs.ts";
import { isDeliveredAsOne } from "../story/settings/settings.ts";
import type { Work } from "./work.ts";

export async function findStoryBase(
  work: Work,
  repository: Repository,
  forge: Forge,
): Promise<Base> {
  const { around, settings, order } = work;
  const { storyId } = order;
  const { stop } = around;
  const epic = await epicOf(work);
  if (epic === undefined || !isDeliveredAsOne(epic, settings)) {
    const setting = settings.git.base ?? (await knownBase(repository.git, forge, storyId));
    return fetchAndFindBase(repository, { setting, storyId, stop });
  }
  const base = await fetchAndFindBase(repository, { setting: settings.git.base, storyId, stop });
  const found = await ensureEpicBranch({
    repository,
    epicId: epic.id,
    base,
    canPush: canPush(repository, settings, forge),
    canRestart: epic.persistent,
    stop,
  });
  if (found.kind === "merged") {
    throw new SagaError("not-ready", `The epic ${epic.id} is merged into ${base.branch} already.`, {
      hint: "Put what is left into a new epic, or into a story of its own.",
    });
  }
  const { target, commit, warnings } = found;
  const ref = `refs/heads/${target.branch}`;
  const { branch } = target;
  const copies = [await commitOf(repository.git, ref)].filter((copy) => copy !== undefined);
  return {
    branch,
    target: branch,
    commit,
    ref,
    copies,
    warnings: [...base.warnings, ...warnings],
  };
}

async function epicOf({ around, order }: Work) {
  const { epicId } = await around.store.viewStory(order.storyId);
  return epicId === undefined ? undefined : (await around.store.readEpic(epicId)).epic;
}
