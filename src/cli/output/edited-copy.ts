// Edits of a story in the person's checkout that count for nothing, because the story's own copy is in its
// worktree. Whoever made them is told, with the place where they would count.

import type { Context } from "../../context.ts";
import { join, relative } from "node:path";
import type { Problem } from "../../errors.ts";
import { openGit, type Git } from "../../machine/programs/git.ts";
import { parseJson } from "../../text/parse-json.ts";
import { storyFolder } from "../../repo/worktree/bring-story.ts";
import { readCheckoutCopy } from "../../store/views/checkout-copy.ts";
import { layoutOf } from "../../store/project/layout.ts";
import type { StoryRecord } from "../../store/project/read.ts";
import { readStartCommit } from "../../store/runs/start-commit.ts";

type Around = Pick<Context, "store" | "env">;

export interface EditedCopy {
  /** Names of files that were changed in the checkout: `story.json`, `form.json`. */
  readonly files: readonly string[];
  /** In the checkout, and the story's own. */
  readonly here: string;
  readonly own: string;
}

/** Nothing for a story whose copy in the checkout is its own, or is as it was when the story began. */
export async function editedCopy(
  { store, env }: Around,
  record: StoryRecord,
): Promise<EditedCopy | undefined> {
  const copy = readCheckoutCopy(layoutOf(store.project), record);
  if (copy === undefined) return undefined;
  const own = filesOf(record);
  const differing = [...filesOf(copy)].filter(([name, text]) => own.get(name) !== text);
  if (differing.length === 0) return undefined;
  // Only now: most stories are the same in both places, or differ in what Saga itself writes.
  const start = await readStartCommit({ store, env }, record.id);
  if (start === undefined) return undefined;
  const git = openGit(store.project, env);
  const files: string[] = [];
  for (const [name, text] of differing) {
    if ((await definitionAt(git, start, record.id, name)) !== text) files.push(name);
  }
  return files.length === 0 ? undefined : { files, here: copy.folder, own: record.folder };
}

/** What people write in a story's files, by the name of the file; what Saga notes there is left out. */
const filesOf = ({ fields, taskFields }: StoryRecord): Map<string, string> =>
  new Map([
    ["story.json", definitionText(fields)],
    ...[...taskFields].map(([id, task]) => [`${id}.json`, definitionText(task)] as const),
  ]);

const NOTED: ReadonlySet<string> = new Set(["status", "branch", "worktree", "pr"]);

const definitionText = (fields: object): string =>
  JSON.stringify(
    Object.entries(fields)
      .filter(([name]) => !NOTED.has(name))
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
  `You changed ${files.join(", ")} here; the story's own copy is in ${relative(project, own)}.`;

export const EDITED_ADVICE =
  "Make the same change there, with `saga edit`. What is here counts again when the story is merged or discarded.";

/** As `saga validate` lists it. */
export const editedProblem = (edited: EditedCopy, project: string): Problem => ({
  file: join(edited.here, edited.files[0] ?? "story.json"),
  severity: "warning",
  message: editedSentence(edited, project),
  fix: EDITED_ADVICE,
});
