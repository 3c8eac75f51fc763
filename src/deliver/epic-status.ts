// The status in an epic's file. The commit that merges a story updates it, so that both arrive together and no checkout
// is left with an uncommitted change. It is derived from the files in that commit, so a repeated merge writes the same.

import { existsSync } from "node:fs";
import { parseJson } from "../text/parse-json.ts";
import type { Amendment, ReadFiles } from "../repo/commits/amend-tree.ts";
import type { Repository } from "../repo/repository.ts";
import { storyFolder } from "../repo/worktree/bring-story.ts";
import { checkoutOf } from "../repo/worktree/checked-out.ts";
import { withText } from "../store/project/json-text.ts";
import { epicSchema, type Epic } from "../story/definition/epic.ts";
import { epicStatus } from "../story/state/state.ts";
import { storySchema } from "../story/definition/story.ts";

export interface EpicStatusPlace {
  readonly repository: Repository;
  readonly epicId: string;
  /** The branch that the merge moves. */
  readonly target: string;
}

const NOTHING: ReadonlyMap<string, string> = new Map();

export const amendEpicStatus =
  ({ repository, epicId, target }: EpicStatusPlace): Amendment =>
  async (read) => {
    const file = `.saga/epics/${epicId}/epic.json`;
    const text = (await read([file])).get(file);
    const epic = epicSchema.safeParse(parseJson(text ?? "")).data;
    if (text === undefined || epic === undefined) return NOTHING;
    const completed = await findCompleted(read, epic);
    if (completed.size === 0) return NOTHING;
    const children = epic.children.map(({ id }) =>
      completed.has(id)
        ? ({ state: "completed", isBegun: true } as const)
        : ({ state: "pending", isBegun: false } as const),
    );
    const status = epicStatus(children, epic.persistent);
    if (status === epic.status || (await isBeingEdited(repository, target, file))) return NOTHING;
    return new Map([[file, withText(text, "status", status)]]);
  };

/** The stories of the epic that are completed, or archived, in the commit. */
async function findCompleted(read: ReadFiles, epic: Epic): Promise<ReadonlySet<string>> {
  const places = epic.children.flatMap(({ id }) => [
    { id, path: `${storyFolder(id)}/story.json`, isArchived: false },
    { id, path: `.saga/archive/${id}/story.json`, isArchived: true },
  ]);
  const texts = await read(places.map(({ path }) => path));
  const completed = places.filter(({ path, isArchived }) => {
    const text = texts.get(path);
    if (text === undefined) return false;
    return isArchived || storySchema.safeParse(parseJson(text)).data?.status === "completed";
  });
  return new Set(completed.map(({ id }) => id));
}

/** Git would refuse to update a checkout with an uncommitted change to the same file. */
async function isBeingEdited(
  repository: Repository,
  target: string,
  file: string,
): Promise<boolean> {
  const folders = new Set([repository.git.folder]);
  const checkout = await checkoutOf(repository, target);
  if (checkout !== undefined && existsSync(checkout)) folders.add(checkout);
  for (const folder of folders) {
    const args = ["status", "--porcelain", "--", `:(top,literal)${file}`];
    const env = { GIT_OPTIONAL_LOCKS: "0" };
    if ((await repository.git.at(folder).ask(args, { env })) !== "") return true;
  }
  return false;
}
