// Brings the branch that a story starts from and goes into up to date: fetches it, and creates an epic's branch that does
// not exist yet.

import { SagaError } from "../errors.ts";
import type { Context } from "../context.ts";
import { fetchAndFindBase, type Base, type Repository } from "../repo/repository.ts";
import { ensureEpicBranch } from "../repo/delivery/epic-branch.ts";
import { canPush } from "../repo/open-forge.ts";
import { findTarget, sharedBranch } from "../repo/story-range.ts";
import { epicSchema } from "../story/definition/epic.ts";
import { parseJson } from "../text/parse-json.ts";
import type { Work } from "./context.ts";

interface StoryPlacement extends Pick<Context, "repository" | "forge"> {
  readonly epicId: string | undefined;
}

export async function findStoryBase(
  { context, request }: Work,
  { repository, forge, epicId }: StoryPlacement,
): Promise<Base> {
  const { settings, stop } = context;
  const { storyId } = request;
  const epic = epicId === undefined ? undefined : (await context.store.readEpic(epicId)).epic;
  const query = { storyId, epic, settings, forge };
  const fetchBase = (setting: string | undefined): Promise<Base> =>
    fetchAndFindBase(repository, { setting, storyId, stop });
  if (epic === undefined || sharedBranch(epic, settings) === undefined) {
    const base = await findTarget(repository, query, fetchBase);
    if (epic === undefined || forge.kind !== "github") return base;
    const warning = await readUnlisted(repository, { base, epicId: epic.id, storyId });
    return { ...base, warnings: [...base.warnings, ...warning] };
  }
  const base = await fetchBase(settings.git.base);
  const found = await ensureEpicBranch({
    repository,
    epicId: epic.id,
    base,
    canPush: canPush(repository, settings, forge),
    canRestart: epic.persistent,
    stop,
  });
  if (found.kind === "merged") {
    throw new SagaError(
      "not-ready",
      `Cannot run a story of the epic ${epic.id}: the epic is already merged into ${base.branch}.`,
      {
        hint: "Move its unfinished stories to a new epic.",
      },
    );
  }
  const target = await findTarget(repository, query, async () => base);
  return { ...target, warnings: [...base.warnings, ...found.warnings] };
}

interface EpicEntry {
  readonly base: Base;
  readonly epicId: string;
  readonly storyId: string;
}

async function readUnlisted({ git }: Repository, entry: EpicEntry): Promise<string[]> {
  const file = `${entry.base.commit}:.saga/epics/${entry.epicId}/epic.json`;
  const { isOk, stdout } = await git.attempt(["cat-file", "blob", file]);
  return unlistedWarning(isOk ? stdout : "", { ...entry, target: entry.base.target });
}

/**
 * `saga merge` brings the epic's entry for the story; the merge button of GitHub does not. `text`: the epic's file on the
 * target, empty if there is none.
 */
export function unlistedWarning(
  text: string,
  { target, epicId, storyId }: Omit<EpicEntry, "base"> & { readonly target: string },
): string[] {
  const epic = epicSchema.safeParse(parseJson(text)).data;
  if (epic?.children.some(({ id }) => id === storyId)) return [];
  return [
    `${storyId} is not listed by its epic ${epicId} on ${target}. \`saga merge\` adds it there; if you merge the pull request on GitHub, commit and push .saga/epics/${epicId} yourself.`,
  ];
}
