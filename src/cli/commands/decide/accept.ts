import { Option } from "commander";
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
  deliverContext,
  askAboutCheckout,
  MERGE_EXITS,
  mergeAndNotify,
  warnOfEditedCopy,
  withStoryLease,
} from "../../deliver/merge-command.ts";
import { mergeResult } from "../../deliver/merge-result.ts";
import { plain } from "../../output/terminal.ts";
import { listOption } from "../../program/list-option.ts";
import { personName } from "../../program/person.ts";

interface Options {
  readonly override?: readonly GateRule[];
  readonly why?: string;
  readonly merge?: boolean;
  readonly updateCheckout?: boolean;
  readonly askFirst?: boolean;
}

export const build: Build = (builder) =>
  builder.action(
    withCheckoutOptions(
      builder
        .command(
          "accept",
          "Approve a finished story. Gate rules can be overridden with a reason.",
          [
            "saga accept add-login",
            "saga accept add-login --merge --update-checkout",
            'saga accept add-login --override protected --why "The workflow had to change."',
          ],
          MERGE_EXITS,
        )
        .argument("<story>", "a story whose tasks are all completed")
        .addOption(listOption("--override <rules...>", "gate rules to override", RULES))
        .option("--why <text>", "the reason for the override; recorded and shown")
        .option("--merge", "merge it at once")
        .addOption(
          new Option(
            "--ask-first",
            "with --merge: refuse if the checkout may not be updated",
          ).hideHelp(),
        ),
      "with --merge: ",
    ),
    async (context, [storyId = ""], options: Options) => {
      const { override = [], why, merge = false, updateCheckout, askFirst } = options;
      if (updateCheckout !== undefined && !merge) {
        throw new SagaError("usage", "--update-checkout works only together with --merge.", {
          hint: `Add --merge. Or accept the story now and merge it later: \`saga merge ${storyId} --update-checkout\`.`,
        });
      }
      if (why !== undefined && override.length === 0) {
        throw new SagaError("usage", "--why needs --override.", {
          hint: "Name the rule to override: `--override <rule>`.",
        });
      }
      if (override.length > 0 && (why ?? "").trim() === "") throw reasonMissing();
      const delivery = deliverContext(context);
      const question = {
        command: "accept",
        id: storyId,
        updateCheckout,
        find: findCheckout,
      } as const;
      const how = merge
        ? await askAboutCheckout(context, delivery, question)
        : { updateCheckouts: undefined };
      if ("declined" in how) return how.declined;
      const mergeIt = async (): Promise<CommandResult> =>
        mergeResult(
          storyId,
          await mergeAndNotify(context, delivery, storyId, { ...how, asksFirst: askFirst }),
        );
      // Repeating the command succeeds.
      if (merge && (await findEarlierMerge(delivery, storyId))) return mergeIt();
      await warnOfEditedCopy(delivery, storyId);
      const request = { rules: override, why, who: await personName(context) };
      const { receipts, setAside, unused } = await withStoryLease(
        delivery.store,
        storyId,
        async () => acceptStory(await findWork(delivery, storyId), request),
      );
      if (merge) return mergeIt();
      return {
        json: { story: storyId, isAccepted: true, setAside, unused, receipts },
        text: (paint) =>
          [
            `${paint("green", "✓")} Accepted ${storyId}`,
            ...receipts.map((receipt) => `  ${plain(receiptLine(receipt))}`),
            ...unused.map((rule) => `The rule ${rule} had no findings to override.`),
            `Merge it: \`saga merge ${storyId}\``,
            "",
          ].join("\n"),
      };
    },
  );
