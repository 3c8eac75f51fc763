import type { Build } from "../command.ts";
import { aroundOf, MERGE_EXITS, mergeAndTell, mergedAnswer } from "../delivery.ts";

interface Options {
  readonly updateCheckout?: boolean;
}

export const build: Build = (shell) =>
  shell.action(
    shell
      .command(
        "merge",
        "Bring a finished story into its target: rebased, checked again, and only then moved.",
        [
          "saga merge add-login",
          "saga merge add-login --update-checkout     also your own checkout, when it is clean",
        ],
        MERGE_EXITS,
      )
      .argument("<story>", "a story that has passed its gate")
      .option("--update-checkout", "bring a clean checkout of the target up to date as well"),
    async (session, [storyId = ""], { updateCheckout }: Options) => {
      const options = { updateCheckouts: updateCheckout };
      return mergedAnswer(
        storyId,
        await mergeAndTell(session, aroundOf(session), storyId, options),
      );
    },
  );
