// The branch that a story starts from and is merged into: the project's base, or the branch of its epic
// if the epic is delivered as one.

import { SagaError } from "../errors.ts";
import type { Forge } from "../machine/forge/forge.ts";
import { fetchAndFindBase, type Base, type Repository } from "../repo/repository.ts";
import { ensureEpicBranch } from "../repo/delivery/epic-branch.ts";
import { knownBase } from "../repo/known-base.ts";
import { canPush } from "../repo/open-forge.ts";
import { commitOf } from "../repo/refs.ts";
import { epicSchema } from "../story/definition/epic.ts";
import { parseJson } from "../text/parse-json.ts";
import { isDeliveredAsOne } from "../story/settings/settings.ts";
import type { Work } from "./context.ts";

export async function findStoryBase(
  work: Work,
  repository: Repository,
  forge: Forge,
): Promise<Base> {
  const { context, settings, request } = work;
  const { storyId } = request;
  const { stop } = context;
  const epic = await epicOf(work);
  if (epic === undefined || !isDeliveredAsOne(epic, settings)) {
    const setting = settings.git.base ?? (await knownBase(repository.git, forge, storyId));
    const base = await fetchAndFindBase(repository, { setting, storyId, stop });
    if (epic === undefined || forge.kind !== "github") return base;
    const warning = await unlistedWarning(repository, { base, epicId: epic.id, storyId });
    return { ...base, warnings: [...base.warnings, ...warning] };
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
    throw new SagaError("not-ready", `The epic ${epic.id} is already merged into ${base.branch}.`, {
      hint: "Move the remaining stories to a new epic, or out of the epic.",
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

/** `saga merge` brings the epic's entry for the story; the merge button of GitHub does not. */
async function unlistedWarning(
  { git }: Repository,
  { base, epicId, storyId }: { base: Base; epicId: string; storyId: string },
): Promise<string[]> {
  const file = `${base.commit}:.saga/epics/${epicId}/epic.json`;
  const { isOk, stdout } = await git.attempt(["cat-file", "blob", file]);
  const epic = isOk ? epicSchema.safeParse(parseJson(stdout)).data : undefined;
  if (epic?.children.some(({ id }) => id === storyId)) return [];
  return [
    `${storyId} is not listed by its epic ${epicId} on ${base.target}. \`saga merge\` adds it there; if you merge the pull request on GitHub, commit and push .saga/epics/${epicId} yourself.`,
  ];
}

async function epicOf({ context, request }: Work) {
  const { epicId } = await context.store.viewStory(request.storyId);
  return epicId === undefined ? undefined : (await context.store.readEpic(epicId)).epic;
}
