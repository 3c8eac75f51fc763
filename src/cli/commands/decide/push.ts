import { pushStory } from "../../../deliver/push-story.ts";
import { requireId } from "../../../story/definition/names.ts";
import type { Build } from "../../program/command.ts";
import { aroundOf, withStoryClaimed } from "../../deliver/merge-command.ts";
import { plain } from "../../output/terminal.ts";

export const build: Build = (builder) =>
  builder.action(
    builder
      .command(
        "push",
        "Push a story's branch to the remote, and bring its pull request up to date.",
        ["saga push add-login     where `saga status` says that its push failed"],
      )
      .argument("<story>", "the story"),
    async (context, [given = ""]) => {
      const storyId = requireId("story", given);
      const around = aroundOf(context);
      const pushed = await withStoryClaimed(around.store, storyId, () =>
        pushStory(around, storyId),
      );
      const { remote, branch, pullRequest, warnings } = pushed;
      return {
        json: { story: storyId, ...pushed },
        text: (paint) =>
          [
            `${paint("green", "✓")} Pushed ${branch} to ${plain(remote)}`,
            ...(pullRequest === undefined ? [] : [`  pull request  ${plain(pullRequest)}`]),
            ...warnings.map(plain),
            "",
          ].join("\n"),
      };
    },
  );
