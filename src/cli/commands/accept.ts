import { acceptStory } from "../../deliver/accept.ts";
import { mergeStory } from "../../deliver/merge.ts";
import { findWork } from "../../deliver/story-work.ts";
import { SagaError } from "../../errors.ts";
import { receiptLine } from "../../story/receipt-text.ts";
import type { Build } from "../command.ts";
import { aroundOf, mergedAnswer, whoIsIt, withStoryClaimed } from "../delivery.ts";
import { plain } from "../output.ts";

interface Options {
  readonly override?: readonly string[];
  readonly why?: string;
  readonly merge?: boolean;
}

export const build: Build = (shell) =>
  shell.action(
    shell
      .command(
        "accept",
        "Accept a finished story, as a person; rules can be set aside with a reason.",
        [
          "saga accept add-login",
          "saga accept add-login --merge",
          'saga accept add-login --override protected --why "The workflow had to change."',
        ],
      )
      .argument("<story>", "a story whose tasks are all completed")
      .option(
        "--override <rules...>",
        "rules of the gate that are set aside: protected, secret, check, …",
      )
      .option("--why <text>", "why they are set aside; it is recorded and shown")
      .option("--merge", "merge it right away"),
    async (session, [storyId = ""], { override = [], why, merge = false }: Options) => {
      if (why !== undefined && override.length === 0) {
        throw new SagaError("usage", "--why says why a rule is set aside, and none is.", {
          hint: "Name it: `--override <rule>`.",
        });
      }
      const around = aroundOf(session);
      const acceptance = { overrides: override, why, who: whoIsIt() };
      const { receipts, setAside } = await withStoryClaimed(around.store, storyId, async () =>
        acceptStory(await findWork(around, storyId), acceptance),
      );
      if (merge) return mergedAnswer(storyId, await mergeStory(around, storyId, {}));
      return {
        json: { story: storyId, isAccepted: true, setAside, receipts },
        text: () =>
          [
            `${storyId} is accepted.`,
            ...receipts.map((receipt) => `  ${plain(receiptLine(receipt))}`),
            `Merge it with \`saga merge ${storyId}\`.`,
            "",
          ].join("\n"),
      };
    },
  );
