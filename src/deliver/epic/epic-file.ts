// The epic's file in the commit that merges a story: it lists the story, also if the person has not committed the epic or
// their last change to it, and it has the status that follows from the files in that commit. So all of it arrives
// together, and a repeated merge writes the same.

import { existsSync } from "node:fs";
import { parseJson } from "../../text/parse-json.ts";
import type { Amendment, ReadFiles } from "../../repo/commits/amend-tree.ts";
import type { Repository } from "../../repo/repository.ts";
import { storyFolder } from "../../repo/worktree/bring-story.ts";
import { checkoutOf } from "../../repo/worktree/checked-out.ts";
import { rewriteDocument } from "../../store/project/document.ts";
import { withText, type Fields } from "../../store/project/json-text.ts";
import type { Store } from "../../store/store.ts";
import type { EditableFile } from "../../repo/worktree/uncommitted-edit.ts";
import { epicSchema, type Epic } from "../../story/definition/epic.ts";
import { childrenAfterMerge, type ListedChild } from "../../story/plan/epic-children.ts";
import { epicStatus } from "../../story/state/state.ts";
import { storySchema } from "../../story/definition/story.ts";

export interface EpicPlace {
  readonly repository: Repository;
  readonly store: Pick<Store, "readDefinition">;
  readonly epicId: string;
  /** The stories that the merge brings. */
  readonly storyIds: readonly string[];
  /** The branch that the merge moves. */
  readonly target: string;
}

const NOTHING: ReadonlyMap<string, string> = new Map();

const epicPath = (epicId: string): string => `.saga/epics/${epicId}/epic.json`;

export const amendEpic =
  (place: EpicPlace): Amendment =>
  async (read) => {
    const file = epicPath(place.epicId);
    const before = (await read([file])).get(file);
    const listed = await withStories(place, read, before);
    const text = listed?.text ?? before;
    const epic = parseEpic(text);
    if (text === undefined || epic === undefined) return NOTHING;
    // Stories that are planned, but not in the target yet, are open.
    const planned = listed?.own.children ?? [];
    const status = await statusAfter(read, { ...epic, children: [...epic.children, ...planned] });
    const after = status === epic.status ? text : withText(text, "status", status);
    if (after === before) return NOTHING;
    // The status alone can wait for the next merge.
    const canWait = listed === undefined && (await isBeingEdited(place, file));
    return canWait ? NOTHING : new Map([[file, after]]);
  };

/** A person's uncommitted edit stays in their checkout, with the status that was merged. */
export const editableEpic = (epicId: string): EditableFile => ({
  path: epicPath(epicId),
  update(edited, merged) {
    const status = parseEpic(merged)?.status;
    const isSame = status === undefined || [undefined, status].includes(parseEpic(edited)?.status);
    return isSame ? edited : withText(edited, "status", status);
  },
});

const parseEpic = (text = ""): Epic | undefined => epicSchema.safeParse(parseJson(text)).data;

/** The text with the merged stories in its list, and the person's epic. Undefined when it lists them already. */
async function withStories(
  { store, epicId, storyIds }: EpicPlace,
  read: ReadFiles,
  before: string | undefined,
): Promise<{ readonly text: string; readonly own: Epic } | undefined> {
  const own = await store.readDefinition({ kind: "epic", id: epicId }).catch(() => undefined);
  const [ownEpic, target] = [parseEpic(own?.text), parseEpic(before)];
  if (own === undefined || ownEpic === undefined) return undefined;
  // A file that cannot be read is for a person to correct.
  if (before !== undefined && target === undefined) return undefined;
  const text = before ?? own.text;
  const fields = parseJson(text) as Fields;
  const present = await findStories(read, ownEpic);
  const children = childrenAfterMerge({
    target: before === undefined ? undefined : childrenIn(before),
    own: childrenIn(own.text),
    delivered: storyIds,
    isThere: (id) => present.some((story) => story.id === id),
  });
  if (children === undefined) return undefined;
  return { text: rewriteDocument(text, fields, { ...fields, children }), own: ownEpic };
}

/** As they are in the file of a valid epic. */
const childrenIn = (text: string): readonly ListedChild[] =>
  (parseJson(text) as { readonly children: readonly ListedChild[] }).children;

async function statusAfter(read: ReadFiles, epic: Epic): Promise<Epic["status"]> {
  const found = await findStories(read, epic);
  const completed = new Set(found.flatMap(({ id, isCompleted }) => (isCompleted ? [id] : [])));
  if (completed.size === 0) return epic.status;
  const children = epic.children.map(({ id }) =>
    completed.has(id)
      ? ({ state: "completed", isBegun: true } as const)
      : ({ state: "pending", isBegun: false } as const),
  );
  return epicStatus(children, epic.persistent);
}

/** The stories of the epic that are in the commit. An archived one is completed. */
async function findStories(
  read: ReadFiles,
  epic: Epic,
): Promise<readonly { readonly id: string; readonly isCompleted: boolean }[]> {
  const places = epic.children.flatMap(({ id }) => [
    { id, path: `${storyFolder(id)}/story.json`, isArchived: false },
    { id, path: `.saga/archive/${id}/story.json`, isArchived: true },
  ]);
  const texts = await read(places.map(({ path }) => path));
  return places.flatMap(({ id, path, isArchived }) => {
    const text = texts.get(path);
    if (text === undefined) return [];
    const status = storySchema.safeParse(parseJson(text)).data?.status;
    return [{ id, isCompleted: isArchived || status === "completed" }];
  });
}

/** Git would refuse to update a checkout with an uncommitted change to the same file. */
async function isBeingEdited({ repository, target }: EpicPlace, file: string): Promise<boolean> {
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
