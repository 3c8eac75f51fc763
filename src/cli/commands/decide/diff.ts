import { join } from "node:path";
import type { StoryDiff } from "../../../dashboard/protocol/details.ts";
import { readRangeDiff } from "../../../dashboard/views/diff.ts";
import { readRange, type GitContext } from "../../../dashboard/views/story-range.ts";
import { withUncommitted } from "../../../repo/snapshots/uncommitted.ts";
import { findRepository } from "../../../repo/repository.ts";
import { commitOf } from "../../../repo/refs.ts";
import type { StoryRecord } from "../../../store/project/read.ts";
import type { StoryView } from "../../../store/views/overview.ts";
import type { Build } from "../../program/command.ts";
import { colouredDiff, diffStat } from "../../viewer/diff-text.ts";
import { writePaged } from "../../viewer/pager.ts";
import { painter } from "../../output/terminal.ts";

interface Options {
  readonly stat?: boolean;
  readonly commit?: string;
  readonly committed?: boolean;
  readonly json?: boolean;
}

export const build: Build = (builder) =>
  builder.action(
    builder
      .command(
        "diff",
        "Show what a story changes: its commits, merged or not, then the uncommitted work in its worktree. Outside a terminal it is a plain patch.",
        [
          "saga diff add-login",
          "saga diff add-login --committed          without uncommitted work",
          "saga diff add-login --stat               only files and sizes",
          "saga diff add-login --commit 1a2b3c4     one of its commits",
        ],
      )
      .argument("<story>", "the story")
      .option("--stat", "show only the changed files and their sizes")
      .option("--committed", "leave out the uncommitted work in the worktree")
      .option("--commit <id>", "show only this commit of the story"),
    async ({ io, openProject }, [storyId = ""], options: Options) => {
      const { stat = false, commit, committed: isCommitted = false, json } = options;
      const store = openProject();
      const view = await store.viewStory(storyId);
      const context = { store, env: io.env, now: Date.now };
      const committed = await readCommitted(context, view, commit);
      const uncommitted =
        isCommitted || commit !== undefined ? undefined : await readUncommitted(context, view);
      const result = { story: storyId, ...committed, ...(uncommitted && { uncommitted }) };
      if (committed.files.length === 0 && uncommitted === undefined) {
        return {
          json: result,
          text: () => `${storyId} has no ${isCommitted ? "committed " : ""}changes yet.\n`,
        };
      }
      const paint = painter(io.hasColour);
      const textOf = (diff: StoryDiff): string =>
        stat
          ? diffStat(diff, paint)
          : // A patch for a program must stay as it is.
            `${io.isTerminal ? colouredDiff(diff.diff, paint) : diff.diff}\n`;
      const texts = [
        ...(committed.files.length > 0 ? [textOf(committed)] : []),
        // Git skips such a line when it applies a patch.
        ...(uncommitted ? [`${paint("bold", heading(view))}\n`, textOf(uncommitted)] : []),
      ];
      if (!json) writePaged(io, texts.join(""));
      return { json: result, text: () => "" };
    },
  );

const NO_DIFF: StoryDiff = { diff: "", isCut: false, files: [] };

async function readCommitted(
  context: GitContext,
  { record, epicId }: StoryView<StoryRecord>,
  commit: string | undefined,
): Promise<StoryDiff> {
  const { branch } = record.story;
  const range = await readRange(context, { id: record.id, branch, epic: epicId });
  // A short id is enough; one that does not exist is refused with the others.
  const chosen = commit && ((range && (await commitOf(range.git, commit))) ?? commit);
  return range ? readRangeDiff(range, chosen) : NO_DIFF;
}

/** Undefined without a worktree, and if nothing is uncommitted. */
async function readUncommitted(
  { store, env }: GitContext,
  { record }: StoryView<StoryRecord>,
): Promise<StoryDiff | undefined> {
  if (record.source !== "worktree") return undefined;
  const { copy, link } = (await store.settings()).worktree;
  const { git } = await findRepository(store.project, env);
  // Its folder is `.saga/stories/<id>` in the worktree.
  const worktree = git.at(join(record.folder, "../../.."));
  const diff = await withUncommitted(worktree, [...copy, ...link], (found) =>
    readRangeDiff({ git: found.git, from: "HEAD", to: found.tree }, undefined),
  );
  return diff && diff.files.length > 0 ? diff : undefined;
}

const heading = ({ state }: StoryView): string =>
  state === "running"
    ? "# Uncommitted work of the running agent:"
    : "# Uncommitted work in the worktree:";
