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
import { deliverContext, withStoryLease } from "../../deliver/merge-command.ts";
import { EDITED_ADVICE, editedCopy, editedSentence } from "../../output/edited-copy.ts";
import { notPassedLines } from "../../output/gate-line.ts";
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
        "Run a story's checks again on its current code.",
        [
          "saga verify add-login",
          "saga verify add-login --no-run     only show the recorded results",
        ],
        { 1: "a check failed or is missing" },
      )
      .argument("<story>", "the story to verify")
      .option(
        "--no-run",
        "run no checks; only show whether the recorded results (receipts) apply to the current code",
      ),
    async (context, [storyId = ""], { run = true }: Options) => {
      const delivery = deliverContext(context);
      // The lease also protects the story's clean checkout.
      return withStoryLease(delivery.store, storyId, () => verify(delivery, storyId, run));
    },
  );

async function verify(
  delivery: DeliverContext,
  storyId: string,
  run: boolean,
): Promise<CommandResult> {
  const merged = await findEarlierMerge(delivery, storyId);
  if (merged) {
    const { into, commit } = merged;
    return {
      json: { story: storyId, isVerified: true, merged: { into, commit } },
      text: () =>
        `${[mergedSentence(merged), "It was checked there.", ...targetGoneWarnings(merged)].join(" ")}\n`,
    };
  }
  const work = await findWork(delivery, storyId);
  const { repository, range, required } = work;
  const edited = await editedCopy(delivery, work.record);
  if (edited)
    delivery.onWarning?.(`${editedSentence(edited, delivery.store.project)} ${EDITED_ADVICE}`);
  const tree = await codeTree(repository.git, range.commit);
  const judged = run ? await judgeStory({ ...gateWorkOf(work), mayReuse: false }, range) : [];
  const fresh = judged.map(redactorOf(work));
  // Read after the checks ran: a check may have written receipts itself, and those must show.
  const all = await receiptsOf(work);
  const held = receiptsFor(all, tree);
  // Receipts that were not renewed still count: a person's, a tester's, one of a removed check.
  const isFresh = ({ gate, command }: Receipt): boolean =>
    fresh.some((receipt) => receipt.gate === gate && receipt.command === command);
  const kept = held.filter((receipt) => receipt.task !== undefined || !isFresh(receipt));
  const { missing, mergeBlockers } = mergeReadiness([...kept, ...fresh], required);
  const refusals = [...new Set([...mergeBlockers.map(({ message }) => message), ...missing])];
  const [refusal] = refusals;
  const isVerified = refusal === undefined;
  return {
    json: {
      story: storyId,
      commit: range.commit,
      tree,
      isVerified,
      refusal,
      refusals,
      held,
      fresh,
      edited,
    },
    text: (paint) => render({ storyId, tree, all, held, fresh, refusals, run }, paint),
    exitCode: isVerified ? 0 : 1,
  };
}

interface Verdict {
  readonly storyId: string;
  readonly tree: string;
  readonly all: readonly Receipt[];
  readonly held: readonly Receipt[];
  readonly fresh: readonly Receipt[];
  readonly refusals: readonly string[];
  readonly run: boolean;
}

function render(verdict: Verdict, paint: Paint): string {
  const { storyId, tree, all, held, fresh, refusals, run } = verdict;
  const about =
    held.length > 0
      ? "Recorded results (receipts) for this code:"
      : all.length > 0
        ? "The code has changed since the gate last ran."
        : "The gate has not run yet.";
  const lines = [
    `${storyId}, tree ${tree.slice(0, 12)}`,
    about,
    ...held.map((receipt) => `  ${plain(receiptLine(receipt))}`),
    ...(run
      ? ["Checked again now:", ...fresh.map((receipt) => `  ${plain(receiptLine(receipt))}`)]
      : []),
    ...(refusals.length === 0
      ? [
          paint(
            "green",
            run ? "All checks passed." : "All recorded results are valid for this code.",
          ),
        ]
      : notPassedLines(refusals.map(plain)).map((line) => paint("red", line))),
  ];
  const failed = fresh.find(({ isPassed, tail }) => !isPassed && tail);
  if (failed?.tail) lines.push("", paint("dim", block(failed.tail)));
  return `${lines.join("\n")}\n`;
}
