import { Option } from "commander";
import type { Build } from "../command.ts";
import {
  aroundOf,
  askAboutCheckout,
  MERGE_EXITS,
  mergeAndTell,
  mergedAnswer,
} from "../delivery.ts";
import { withCheckoutOptions } from "../checkout-options.ts";

interface Options {
  readonly updateCheckout?: boolean;
  readonly askFirst?: boolean;
}

export const build: Build = (shell) => {
  const command = shell
    .command(
      "merge",
      "Merge a finished story into its target: rebased, checked again, and only then moved.",
      [
        "saga merge add-login",
        "saga merge add-login --update-checkout     also update your own checkout, when it is clean",
      ],
      MERGE_EXITS,
    )
    .argument("<story>", "a story that has passed its gate");
  return shell.action(
    withCheckoutOptions(command).addOption(
      new Option("--ask-first", "run no check when the checkout may not be updated").hideHelp(),
    ),
    async (session, [storyId = ""], { updateCheckout: given, askFirst }: Options) => {
      const around = aroundOf(session);
      const updateCheckouts = await askAboutCheckout(session, around, { storyId, given });
      const options = { updateCheckouts, isAskedFirst: askFirst };
      return mergedAnswer(storyId, await mergeAndTell(session, around, storyId, options));
    },
  );
};
