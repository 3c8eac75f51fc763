import { isYes } from "../../program/io.ts";
import { SagaError } from "../../../errors.ts";
import { requireDiscardable, type DiscardResult } from "../../../recover/discard.ts";
import { readInFlight } from "../../../recover/in-flight.ts";
import { discardEverywhere, type DiscardedStory } from "../../fleet/discard-everywhere.ts";
import { findRepository } from "../../../repo/repository.ts";
import { count } from "../../../text/plural.ts";
import { requireId } from "../../../story/definition/names.ts";
import type { CommandResult, Build, CommandContext } from "../../program/command.ts";
import { plain, type Paint } from "../../output/terminal.ts";
import { pullRequestName } from "../../../text/pull-request-name.ts";

interface Options {
  readonly yes?: boolean;
}

export const build: Build = (builder) =>
  builder.action(
    builder
      .command(
        "discard",
        "Discard the work on a story: deletes worktree and branch, closes the pull request, keeps a snapshot.",
        ["saga discard add-login", "saga discard add-login --yes     without a question"],
        { 1: "refused, or not confirmed" },
      )
      .argument("<story>", "the story; the story itself is kept")
      .option("--yes", "do not ask for confirmation"),
    async (context, [word = ""], { yes = false }: Options) => {
      const storyId = requireId("story", word);
      const store = context.openProject();
      await requireDiscardable(store, storyId);
      const { env } = context.io;
      const repository = await findRepository(store.project, env);
      if (!yes) {
        const { stories } = await readInFlight(store, repository, { env, only: storyId });
        if (!(await isConfirmed(context, storyId, stories[0]?.question))) return declined(storyId);
      }
      const discarded = await discardEverywhere(context.io, store, storyId);
      return { json: jsonOf(discarded), text: (paint) => render(discarded, paint) };
    },
  );

async function isConfirmed(
  { io }: CommandContext,
  storyId: string,
  question: string | undefined,
): Promise<boolean> {
  if (!io.isTerminal) {
    throw new SagaError(
      "usage",
      "Nothing was discarded: this is not a terminal, so you cannot be asked.",
      {
        hint: `\`saga discard ${storyId} --yes\` removes its worktree and branch without asking, and keeps a snapshot. The story itself stays.`,
      },
    );
  }
  const facts = question === undefined ? "" : `${plain(question)}\n`;
  const answer = await io.ask(`${facts}Discard the work on ${storyId}? A snapshot is kept. [y/N] `);
  return isYes(answer);
}

const declined = (storyId: string): CommandResult => ({
  json: { story: storyId, isDone: false },
  text: () => `Nothing was discarded. \`saga resume ${storyId}\` continues it.\n`,
  exitCode: 1,
});

const restoreCommand = ({ storyId, snapshot }: DiscardResult): string | undefined =>
  snapshot === undefined ? undefined : `saga snapshot restore ${storyId} ${snapshot}`;

const jsonOf = ({ storyId, ...discarded }: DiscardedStory) => ({
  story: storyId,
  ...discarded,
  restore: restoreCommand({ storyId, ...discarded }),
});

const sharedSentence = (epic = "<epic>"): string =>
  `The other machines of the fleet follow, and none takes it again by itself: \`saga epic run ${epic} --fleet\` queues it.`;

function render(discarded: DiscardedStory, paint: Paint): string {
  const { storyId, worktree, branch, pullRequest, processes, left, isShared, epic } = discarded;
  const restore = restoreCommand(discarded);
  if (!discarded.isDone) {
    const before =
      restore === undefined ? "" : ` Restore what was discarded before: \`${restore}\``;
    return `${storyId} has no work to discard.${before}\n`;
  }
  const facts = [
    worktree && ["removed", worktree],
    branch && ["removed", `${branch.name} (was at ${branch.commit.slice(0, 10)})`],
    pullRequest && ["closed", `pull request ${pullRequestName(pullRequest)}`],
    processes > 0 && ["ended", count(processes, "process", "processes")],
    restore && ["restore", restore],
  ].filter((fact) => Array.isArray(fact));
  return [
    `Discarded the work on ${paint("bold", storyId)}. Its tasks are pending again.`,
    ...facts.map(([name = "", value = ""]) => `  ${paint("dim", name.padEnd(10))}${plain(value)}`),
    ...left.map((sentence) => paint("yellow", plain(sentence))),
    ...(isShared ? [sharedSentence(epic)] : []),
    "",
  ].join("\n");
}
