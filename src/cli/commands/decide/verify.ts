import {
  findEarlierMerge,
  targetGoneWarnings,
  mergedSentence,
} from "../../../deliver/earlier-merge.ts";
import {
  findWork,
  gateWorkOf,
  receiptsOf,
  redactorOf,
  type DeliverContext,
} from "../../../deliver/story-work.ts";
import { judgeStory } from "../../../gate/story-gate.ts";
import { codeTree } from "../../../repo/code-tree.ts";
import type { Receipt } from "../../../story/receipts/receipt.ts";
import { receiptLine } from "../../../story/receipts/receipt-text.ts";
import { receiptsFor } from "../../../story/receipts/latest-receipts.ts";
import { mergeReadiness } from "../../../story/receipts/merge-readiness.ts";
import type { CommandResult, Build } from "../../program/command.ts";
import { aroundOf, withStoryClaimed } from "../../deliver/merge-command.ts";
import { EDITED_ADVICE, editedCopy, editedSentence } from "../../output/edited-copy.ts";
import { block, plain, type Paint } from "../../output/terminal.ts";

interface Options {
  /** Commander's form of `--no-run`. */
  readonly run?: boolean;
}

export const build: Build = (builder) =>
  builder.action(
    builder
      .command(
        "verify",
        "Run a story's gate again, and say whether its receipts hold for the code as it is.",
        ["saga verify add-login", "saga verify add-login --no-run     only compare the receipts"],
        { 1: "it does not hold" },
      )
      .argument("<story>", "the story to verify")
      .option("--no-run", "run nothing, only compare the receipts with the code"),
    async (context, [storyId = ""], { run = true }: Options) => {
      const around = aroundOf(context);
      // Nobody else uses the story's clean checkout meanwhile.
      return withStoryClaimed(around.store, storyId, () => verify(around, storyId, run));
    },
  );

async function verify(
  around: DeliverContext,
  storyId: string,
  run: boolean,
): Promise<CommandResult> {
  const merged = await findEarlierMerge(around, storyId);
  if (merged) {
    const { into, commit } = merged;
    return {
      json: { story: storyId, isVerified: true, merged: { into, commit } },
      text: () =>
        `${[mergedSentence(merged), "It was verified there.", ...targetGoneWarnings(merged)].join(" ")}\n`,
    };
  }
  const work = await findWork(around, storyId);
  const { repository, range, required } = work;
  const edited = await editedCopy(around, work.record);
  if (edited)
    around.onWarning?.(`${editedSentence(edited, around.store.project)} ${EDITED_ADVICE}`);
  const tree = await codeTree(repository.git, range.commit);
  const judged = run ? await judgeStory(gateWorkOf(work), range) : [];
  const fresh = judged.map(redactorOf(work));
  // Read afterwards: what a check has written there meanwhile is named too.
  const all = await receiptsOf(work);
  const held = receiptsFor(all, tree);
  // What is not run again counts as it was: a person's word, a tester's, a check that is listed no more.
  const isFresh = ({ gate, command }: Receipt): boolean =>
    fresh.some((receipt) => receipt.gate === gate && receipt.command === command);
  const kept = held.filter((receipt) => receipt.task !== undefined || !isFresh(receipt));
  const { missing, objections } = mergeReadiness([...kept, ...fresh], required);
  const [refusal] = [...objections.map(({ message }) => message), ...missing];
  const isVerified = refusal === undefined;
  return {
    json: { story: storyId, commit: range.commit, tree, isVerified, refusal, held, fresh, edited },
    text: (paint) => render({ storyId, tree, all, held, fresh, refusal, isVerified, run }, paint),
    exitCode: isVerified ? 0 : 1,
  };
}

interface Verdict {
  readonly storyId: string;
  readonly tree: string;
  readonly all: readonly Receipt[];
  readonly held: readonly Receipt[];
  readonly fresh: readonly Receipt[];
  readonly refusal: string | undefined;
  readonly isVerified: boolean;
  readonly run: boolean;
}

function render(verdict: Verdict, paint: Paint): string {
  const { storyId, tree, all, held, fresh, refusal, isVerified, run } = verdict;
  const about =
    held.length > 0
      ? "Receipts for the code as it is:"
      : all.length > 0
        ? "The code has changed since its receipts were written."
        : "There are no receipts yet: what is completed is claimed, not proven.";
  const lines = [
    `${storyId}, tree ${tree.slice(0, 12)}`,
    about,
    ...held.map((receipt) => `  ${plain(receiptLine(receipt))}`),
    ...(run
      ? ["Run again now:", ...fresh.map((receipt) => `  ${plain(receiptLine(receipt))}`)]
      : []),
    isVerified
      ? paint("green", run ? "It holds." : "The receipts hold.")
      : paint("red", `It does not hold${refusal === undefined ? "." : `: ${plain(refusal)}`}`),
  ];
  const failed = fresh.find(({ isPassed, tail }) => !isPassed && tail);
  if (failed?.tail) lines.push("", paint("dim", block(failed.tail)));
  return `${lines.join("\n")}\n`;
}
