// The pull request of an epic that is delivered as one: a draft until its last story is merged.

import type { Context } from "../../context.ts";
import type { PullRequest } from "../../machine/forge/forge.ts";
import { findBase } from "../../repo/repository.ts";
import { readCopies } from "../../repo/story-range.ts";
import type { Epic } from "../../story/definition/epic.ts";
import { epicBranch } from "../../story/definition/names.ts";

type EpicPullContext = Pick<Context, "store" | "settings" | "repository" | "forge">;

/** Undefined while the epic has no branch. */
export async function ensureEpicPullRequest(
  { store, settings, repository, forge }: EpicPullContext,
  epic: Epic,
  isDone: boolean,
): Promise<PullRequest | undefined> {
  const head = epicBranch(epic.id);
  if ((await readCopies(repository, head)).length === 0) return undefined;
  const base = await findBase(repository, settings.git.base);
  const opened = await forge.openDraft({
    head,
    base: base.target,
    title: `Epic: ${epic.id}`,
    body: epicPullBody(epic),
  });
  if (epic.pr !== opened.ref) await store.noteEpic(epic.id, { branch: head, pr: opened.ref });
  return isDone && opened.isDraft ? forge.markReady(opened.number) : opened;
}

export const epicPullBody = ({ title, description, children }: Epic): string =>
  [
    `# ${title}`,
    description,
    "## Stories",
    children.map(({ id }) => `- \`${id}\``).join("\n"),
  ].join("\n\n");
