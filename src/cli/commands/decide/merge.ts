import { existsSync } from "node:fs";
import { Option } from "commander";
import { findEpicCheckout, mergeEpic } from "../../../deliver/epic-merge.ts";
import { findCheckout } from "../../../deliver/merge.ts";
import { findStory } from "../../../store/project/find.ts";
import { epicFile, layoutOf } from "../../../store/project/layout.ts";
import { idProblem } from "../../../story/definition/names.ts";
import { epicMergedAnswer } from "../../deliver/merge-epic-output.ts";
import type { Build } from "../../program/command.ts";
import {
  aroundOf,
  askAboutCheckout,
  MERGE_EXITS,
  mergeAndTell,
  mergedAnswer,
} from "../../deliver/merge-command.ts";
import { withCheckoutOptions } from "../../deliver/checkout-options.ts";

interface Options {
  readonly updateCheckout?: boolean;
  readonly askFirst?: boolean;
}

export const build: Build = (builder) => {
  const command = builder
    .command(
      "merge",
      "Merge a finished story, or an epic's own branch, into its target: checked again, and only then moved.",
      [
        "saga merge add-login",
        "saga merge user-auth     the branch of an epic that is delivered as one",
        "saga merge add-login --update-checkout     also update your own checkout, when it is clean",
      ],
      MERGE_EXITS,
    )
    .argument(
      "<story>",
      "a story that has passed its gate, or an epic whose stories are all merged",
    );
  return builder.action(
    withCheckoutOptions(command).addOption(
      new Option("--ask-first", "run no check when the checkout may not be updated").hideHelp(),
    ),
    async (context, [id = ""], { updateCheckout: given, askFirst }: Options) => {
      const around = aroundOf(context);
      const { project } = around.store;
      const isEpic = findStory(layoutOf(project), id) === undefined && isEpicThere(project, id);
      const find = isEpic ? findEpicCheckout : findCheckout;
      const updateCheckouts = await askAboutCheckout(context, around, { id, given, find });
      const options = { updateCheckouts, isAskedFirst: askFirst };
      if (isEpic) return epicMergedAnswer(id, await mergeEpic(around, id, options));
      return mergedAnswer(id, await mergeAndTell(context, around, id, options));
    },
  );
};

/** What is wrong with its file is said by those who read it. */
const isEpicThere = (project: string, id: string): boolean =>
  idProblem("epic", id) === undefined && existsSync(epicFile(layoutOf(project), id));
