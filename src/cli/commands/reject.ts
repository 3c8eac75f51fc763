import { rejectStory } from "../../deliver/accept.ts";
import { findWork } from "../../deliver/story-work.ts";
import type { Build } from "../command.ts";
import { aroundOf, withStoryClaimed } from "../delivery.ts";
import { personName } from "../person.ts";

export const build: Build = (shell) =>
  shell.action(
    shell
      .command("reject", "Send a finished story back, with what has to be different.", [
        'saga reject add-login "The form must keep what was typed."',
        "saga reject add-login - < feedback.md",
      ])
      .argument("<story>", "the story")
      .argument("<why>", "what has to be different; - reads it from standard input"),
    async (session, [storyId = "", given = ""]) => {
      const why = given === "-" ? await session.io.readInput() : given;
      const around = aroundOf(session);
      const who = await personName(session);
      const { taskId } = await withStoryClaimed(around.store, storyId, async () =>
        rejectStory(await findWork(around, storyId), why, who),
      );
      return {
        json: { story: storyId, task: taskId },
        text: () =>
          `${storyId} goes back with the task ${taskId}. Start it with \`saga run ${storyId}\`.\n`,
      };
    },
  );
