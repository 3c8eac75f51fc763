import { sendBackStory } from "../../../deliver/accept.ts";
import { findWork } from "../../../deliver/story-work.ts";
import type { Build } from "../../program/command.ts";
import { deliverContext, withStoryLease } from "../../deliver/merge-command.ts";
import { personName } from "../../program/person.ts";
import { thenRun } from "../../start/then-run.ts";

export const build: Build = (builder) =>
  builder.action(
    builder
      .command(
        "send-back",
        "Send a finished story back with feedback, which becomes its next task.",
        [
          'saga send-back add-login "The form must keep what was typed." --run     and continue it at once',
          'saga send-back add-login "The form must keep what was typed."',
          "saga send-back add-login - < feedback.md",
        ],
      )
      .argument("<story>", "the story")
      .argument("<why>", "what has to change; - reads it from standard input")
      .option("--run", "continue the story at once, like saga run"),
    async (context, [storyId = "", feedback = ""], { run = false }: { run?: boolean }) => {
      const why = feedback === "-" ? await context.io.readInput() : feedback;
      const delivery = deliverContext(context);
      const who = await personName(context);
      const { taskId } = await withStoryLease(delivery.store, storyId, async () =>
        sendBackStory(await findWork(delivery, storyId), why, who),
      );
      const json = { story: storyId, task: taskId };
      const recorded = `Sent ${storyId} back. Your feedback is now its task ${taskId}.`;
      if (run) return thenRun(context, storyId, { recorded, json });
      return {
        json: { ...json, isStarted: false },
        text: () => `${recorded} Continue the story: \`saga run ${storyId}\`.\n`,
      };
    },
  );
