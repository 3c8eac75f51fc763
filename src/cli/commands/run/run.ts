import { requireId } from "../../../story/definition/names.ts";
import type { Build } from "../../program/command.ts";
import { FOREGROUND_EXITS } from "../../start/run-options.ts";
import { startStory, withStartOptions, type StartOptions } from "../../start/start-story.ts";

export const build: Build = (builder) =>
  builder.action(
    withStartOptions(
      builder
        .command(
          "run",
          "Start a worker on a story, in a tmux session that outlives this terminal.",
          [
            "saga run add-login                     returns at once; saga logs add-login -f follows it",
            "saga run add-login --max-time 120 --max-cost 5",
            "saga run add-login --foreground        run in this terminal, until the end",
            "saga run add-login --rehearse          try it on a copy, without spending a token",
          ],
          FOREGROUND_EXITS,
        )
        .argument("<story>", "the story to run"),
    ),
    (context, [storyId = ""], options: StartOptions) =>
      startStory(context, requireId("story", storyId), options),
  );
