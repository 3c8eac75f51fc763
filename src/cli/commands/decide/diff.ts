import type { StoryDiff } from "../../../dashboard/protocol/details.ts";
import { readRangeDiff } from "../../../dashboard/views/diff.ts";
import { readRange } from "../../../dashboard/views/story-range.ts";
import { commitOf } from "../../../repo/refs.ts";
import type { Build, CommandResult } from "../../program/command.ts";
import { colouredDiff, diffStat } from "../../viewer/diff-text.ts";
import { writePaged } from "../../viewer/pager.ts";
import { painter } from "../../output/terminal.ts";

interface Options {
  readonly stat?: boolean;
  readonly commit?: string;
  readonly json?: boolean;
}

export const build: Build = (builder) =>
  builder.action(
    builder
      .command(
        "diff",
        "Show what a story changes: all of its commits, merged or not. Outside a terminal it is a plain patch.",
        [
          "saga diff add-login",
          "saga diff add-login --stat               only files and sizes",
          "saga diff add-login --commit 1a2b3c4     one of its commits",
        ],
      )
      .argument("<story>", "the story")
      .option("--stat", "show only the changed files and their sizes")
      .option("--commit <id>", "show only this commit of the story"),
    async ({ io, openProject }, [storyId = ""], { stat = false, commit, json }: Options) => {
      const store = openProject();
      const { record, epicId } = await store.viewStory(storyId);
      const { branch } = record.story;
      const context = { store, env: io.env, now: Date.now };
      const range = await readRange(context, { id: record.id, branch, epic: epicId });
      // A short id is enough; one that does not exist is refused with the others.
      const chosen = commit && ((range && (await commitOf(range.git, commit))) ?? commit);
      const diff = range ? await readRangeDiff(range, chosen) : NO_DIFF;
      if (diff.files.length === 0) return empty(storyId, diff);
      const paint = painter(io.hasColour);
      const text = stat
        ? diffStat(diff, paint)
        : // A patch for a program must stay as it is.
          `${io.isTerminal ? colouredDiff(diff.diff, paint) : diff.diff}\n`;
      if (!json) writePaged(io, text);
      return { json: { story: storyId, ...diff }, text: () => "" };
    },
  );

const NO_DIFF: StoryDiff = { diff: "", isCut: false, files: [] };

const empty = (storyId: string, diff: StoryDiff): CommandResult => ({
  json: { story: storyId, ...diff },
  text: () => `${storyId} has no committed changes yet.\n`,
});
