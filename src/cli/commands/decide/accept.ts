import { acceptStory, reasonMissing } from "../../../deliver/accept.ts";
import { findCheckout } from "../../../deliver/merge.ts";
import { findEarlierMerge } from "../../../deliver/earlier-merge.ts";
import { findWork } from "../../../deliver/story-work.ts";
import { SagaError } from "../../../errors.ts";
import type { GateRule } from "../../../story/receipts/receipt.ts";
import { RULES } from "../../../story/receipts/rules.ts";
import { receiptLine } from "../../../story/receipts/receipt-text.ts";
import type { CommandResult, Build } from "../../program/command.ts";
import { withCheckoutOptions } from "../../deliver/checkout-options.ts";
import {
  aroundOf,
  askAboutCheckout,
  MERGE_EXITS,
  mergeAndTell,
  mergedAnswer,
  withStoryClaimed,
} from "../../deliver/merge-command.ts";
import { plain } from "../../output/terminal.ts";
import { listOption } from "../../program/list-option.ts";
import { personName } from "../../program/person.ts";

interface Options {
  readonly override?: readonly GateRule[];
  readonly why?: string;
  readonly merge?: boolean;
  readonly updateCheckout?: boolean;
}

export const build: Build = (builder) =>
  builder.action(
    withCheckoutOptions(
      builder
        .command(
          "accept",
          "Accept a finished story, as a person; rules can be set aside with a reason.",
          [
            "saga accept add-login",
            "saga accept add-login --merge --update-checkout",
            'saga accept add-login --override protected --why "The workflow had to change."',
          ],
          MERGE_EXITS,
        )
        .argument("<story>", "a story whose tasks are all completed")
        .addOption(
          listOption("--override <rules...>", "rules of the gate that are set aside", RULES),
        )
        .option("--why <text>", "why they are set aside; it is recorded and shown")
        .option("--merge", "merge it right away"),
      "with --merge: ",
    ),
    async (context, [storyId = ""], options: Options) => {
      const { override = [], why, merge = false, updateCheckout } = options;
      if (updateCheckout !== undefined && !merge) {
        throw new SagaError("usage", "--update-checkout goes with --merge only.", {
          hint: `Say both, or accept it and then \`saga merge ${storyId} --update-checkout\`.`,
        });
      }
      if (why !== undefined && override.length === 0) {
        throw new SagaError("usage", "--why says why a rule is set aside, and none is.", {
          hint: "Name it: `--override <rule>`.",
        });
      }
      if (override.length > 0 && (why ?? "").trim() === "") throw reasonMissing();
      const around = aroundOf(context);
      const how = {
        updateCheckouts: merge
          ? await askAboutCheckout(context, around, {
              id: storyId,
              given: updateCheckout,
              find: findCheckout,
            })
          : undefined,
      };
      const mergeIt = async (): Promise<CommandResult> => {
        return mergedAnswer(storyId, await mergeAndTell(context, around, storyId, how));
      };
      // Whoever repeats it has what they want.
      if (merge && (await findEarlierMerge(around, storyId))) return mergeIt();
      const acceptance = { overrides: override, why, who: await personName(context) };
      const { receipts, setAside, unused } = await withStoryClaimed(
        around.store,
        storyId,
        async () => acceptStory(await findWork(around, storyId), acceptance),
      );
      if (merge) return mergeIt();
      return {
        json: { story: storyId, isAccepted: true, setAside, unused, receipts },
        text: () =>
          [
            `${storyId} is accepted.`,
            ...receipts.map((receipt) => `  ${plain(receiptLine(receipt))}`),
            ...unused.map((rule) => `There was nothing to set aside for the rule ${rule}.`),
            `Merge it with \`saga merge ${storyId}\`.`,
            "",
          ].join("\n"),
      };
    },
  );
