import { pushStory } from "../../../deliver/push-story.ts";
import { requireId } from "../../../story/definition/names.ts";
import type { Build } from "../../program/command.ts";
import { deliverContext, withStoryLease } from "../../deliver/merge-command.ts";
import { plain } from "../../output/terminal.ts";
import { pullRequestName } from "../../../text/pull-request-name.ts";

export const build: Build = (builder) =>
  builder.action(
    builder
      .command("push", "Push a story's branch again, and update its pull request.", [
        "saga push add-login     when `saga status` says that its push failed",
      ])
      .argument("<story>", "the story"),
    async (context, [word = ""]) => {
      const storyId = requireId("story", word);
      const delivery = deliverContext(context);
      const pushed = await withStoryLease(delivery.store, storyId, (lease) =>
        pushStory(delivery, storyId, lease),
      );
      const { remote, branch, pullRequest, warnings } = pushed;
      return {
        json: { story: storyId, ...pushed },
        text: (paint) =>
          [
            `${paint("green", "✓")} Pushed ${branch} to ${plain(remote)}`,
            ...(pullRequest === undefined
              ? []
              : [`  pull request  ${plain(pullRequestName(pullRequest))}`]),
            ...warnings.map(plain),
            "",
          ].join("\n"),
      };
    },
  );
