import { existsSync } from "node:fs";
import { Option } from "commander";
import { findEpicCheckout, mergeEpic } from "../../../deliver/epic/merge.ts";
import { findCheckout, type MergeOptions } from "../../../deliver/merge.ts";
import { findStory } from "../../../store/project/find.ts";
import { epicFile, layoutOf } from "../../../store/project/layout.ts";
import { idProblem } from "../../../story/definition/names.ts";
import { epicMergeResult, mergeResult } from "../../deliver/merge-result.ts";
import { landingKinds } from "../../deliver/landing-kinds.ts";
import type { Build } from "../../program/command.ts";
import {
  deliverContext,
  askAboutCheckout,
  MERGE_EXITS,
  mergeAndNotify,
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
      "Merge a finished story or epic into its target: rebased, checked again, then merged.",
      [
        "saga merge add-login",
        "saga merge user-auth     an epic with its own branch",
        "saga merge add-login --update-checkout     also update your checkout, if it is clean",
      ],
      MERGE_EXITS,
    )
    .argument("<story>", "a story that passed its checks, or an epic whose stories are all merged");
  return builder.action(
    withCheckoutOptions(command).addOption(
      new Option(
        "--ask-first",
        "refuse before any check if the checkout may not be updated",
      ).hideHelp(),
    ),
    async (context, [id = ""], { updateCheckout, askFirst }: Options) => {
      const delivery = deliverContext(context);
      const { project } = delivery.store;
      const isEpic = findStory(layoutOf(project), id) === undefined && epicExists(project, id);
      const find = isEpic ? findEpicCheckout : findCheckout;
      const question = { command: "merge", id, updateCheckout, find } as const;
      const decision = await askAboutCheckout(context, delivery, question);
      if ("declined" in decision) return decision.declined;
      const options: MergeOptions = { ...decision, asksFirst: askFirst };
      const landing = { ...delivery, kinds: landingKinds };
      if (isEpic) return epicMergeResult(id, await mergeEpic(landing, id, options));
      return mergeResult(id, await mergeAndNotify(context, delivery, id, options));
    },
  );
};

/** An invalid file is reported when it is read. */
const epicExists = (project: string, id: string): boolean =>
  idProblem("epic", id) === undefined && existsSync(epicFile(layoutOf(project), id));
