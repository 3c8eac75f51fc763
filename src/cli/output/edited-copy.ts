// Finds edits of a story in the person's checkout. They have no effect while the story's own copy is in its worktree,
// so the person is told where to make them.

import { join, relative } from "node:path";
import type { Problem } from "../../errors.ts";
import type { Context } from "../../context.ts";
import { openGit, type Git } from "../../machine/programs/git.ts";
import { parseJson } from "../../text/parse-json.ts";
import { storyFolder } from "../../repo/worktree/bring-story.ts";
import { readCheckoutCopy } from "../../store/views/checkout-copy.ts";
import { layoutOf } from "../../store/project/layout.ts";
import type { StoryRecord } from "../../store/project/read.ts";
import { readStartCommit } from "../../store/runs/start-commit.ts";

export interface EditedCopy {
  /** Names of files changed in the checkout: `story.json`, `form.json`. */
  readonly files: readonly string[];
  /** The story's folder in the checkout. */
  readonly here: string;
  /** The story's folder in its worktree. */
  readonly own: string;
}

/** Undefined if the story has no second copy, or if the checkout's copy is unchanged since the story started. */
export async function editedCopy(
  { store, env }: Pick<Context, "store" | "env">,
  record: StoryRecord,
): Promise<EditedCopy | undefined> {
  const copy = readCheckoutCopy(layoutOf(store.project), record);
  if (copy === undefined) return undefined;
  const own = filesOf(record);
  const differing = [...filesOf(copy)].filter(([name, text]) => own.get(name) !== text);
  if (differing.length === 0) return undefined;
  // Git is asked last, because most stories have the same text in both places.
  const start = await readStartCommit({ store, env }, record.id);
  if (start === undefined) return undefined;
  const git = openGit(store.project, env);
  const files: string[] = [];
  for (const [name, text] of differing) {
    if ((await definitionAt(git, start, record.id, name)) !== text) files.push(name);
  }
  return files.length === 0 ? undefined : { files, here: copy.folder, own: record.folder };
}

/** The definitions in a story's files, by file name, without the fields that Saga writes. */
const filesOf = ({ fields, taskFields }: StoryRecord): Map<string, string> =>
  new Map([
    ["story.json", definitionText(fields)],
    ...[...taskFields].map(([id, task]) => [`${id}.json`, definitionText(task)] as const),
  ]);

const WRITTEN_BY_SAGA: ReadonlySet<string> = new Set(["status", "branch", "worktree", "pr"]);

const definitionText = (fields: object): string =>
  JSON.stringify(
    Object.entries(fields)
      .filter(([name]) => !WRITTEN_BY_SAGA.has(name))
      .toSorted(([one], [other]) => (one < other ? -1 : 1)),
  );

async function definitionAt(
  git: Git,
  commit: string,
  storyId: string,
  name: string,
): Promise<string | undefined> {
  const path = `${commit}:${storyFolder(storyId)}/${name}`;
  const found = await git.attempt(["cat-file", "blob", path]);
  const fields = found.isOk ? parseJson(found.stdout) : undefined;
  return typeof fields === "object" && fields !== null ? definitionText(fields) : undefined;
}

export const editedSentence = ({ files, own }: EditedCopy, project: string): string =>
  `You changed ${files.join(", ")} here, but the story uses its copy in ${relative(project, own)}.`;

export const EDITED_ADVICE =
  "Make the same change there with `saga edit`. The copy here is used again after the story is merged or discarded.";

/** For `saga validate`. */
export const editedProblem = (edited: EditedCopy, project: string): Problem => ({
  file: join(edited.here, edited.files[0] ?? "story.json"),
  severity: "warning",
  message: editedSentence(edited, project),
  fix: EDITED_ADVICE,
});
