import { shellWord } from "../../../text/shell-quote.ts";
import { isYes } from "../../program/io.ts";
import { relative } from "node:path";
import { SagaError } from "../../../errors.ts";
import type { DiscardResult } from "../../../recover/discard.ts";
import { discardEverywhere } from "../../fleet/discard-everywhere.ts";
import { definitionLabel, type DefinitionName } from "../../../store/write/definition-file.ts";
import { epicLease, storyLease } from "../../../store/leases/lease-names.ts";
import type { Removed } from "../../../store/write/remove.ts";
import type { Store } from "../../../store/store.ts";
import type { CommandResult, Build, CommandContext } from "../../program/command.ts";
import { findDefinition } from "../../edit/definition-name.ts";
import { withStoryLease } from "../../deliver/merge-command.ts";
import { plain, type Paint } from "../../output/terminal.ts";

interface Options {
  readonly yes?: boolean;
  readonly force?: boolean;
  readonly epic?: boolean;
}

export const build: Build = (builder) =>
  builder.action(
    builder
      .command(
        "rm",
        "Remove a story, an epic or a task. Its files are kept in .saga/removed, its work in a snapshot.",
        [
          "saga rm add-login",
          "saga rm add-login/write-form --yes     without a question",
          "saga rm user-auth --epic --force       an epic; its stories are kept",
        ],
        { 1: "refused, or not confirmed" },
      )
      .argument("<story-or-epic>", "an id, or <story>/<task>")
      .argument("[task]", "a task of the story")
      .option("--yes", "do not ask for confirmation")
      .option("--force", "remove it even if others depend on it or belong to it")
      .option("--epic", "remove the epic, if a story has the same id"),
    async (context, words, { yes = false, force = false, epic = false }: Options) => {
      const store = context.openProject();
      const name = await findDefinition(store, words, epic);
      await requireIdle(store, name);
      const options = { isForced: force };
      const hasWork = name.kind === "story" && (await isStarted(store, name.id));
      if (!hasWork) await store.remove(name, { ...options, isDryRun: true });
      if (!yes && !(await isConfirmed(context, name))) return declined(name);
      const discarded = hasWork ? await discardEverywhere(context.io, store, name.id) : undefined;
      const removed =
        name.kind === "story"
          ? await withStoryLease(store, name.id, () => store.remove(name, options))
          : await store.remove(name, options);
      await store.writeEpicsSnapshot();
      return removalResult(name, removed, discarded, store.project);
    },
  );

async function requireIdle(store: Store, name: DefinitionName): Promise<void> {
  const id = name.kind === "task" ? name.story : name.id;
  const lease = await store.leases.read(name.kind === "epic" ? epicLease(id) : storyLease(id));
  if (lease?.life !== "alive") return;
  const stop = name.kind === "epic" ? `saga epic stop ${id}` : `saga stop ${id}`;
  throw new SagaError("in-use", `${id} is running (${lease.record.owner}).`, {
    hint: `Wait for it to end, or stop it: \`${stop}\`.`,
  });
}

/** Whether it has a worktree, a branch or runs. */
async function isStarted(store: Store, id: string): Promise<boolean> {
  const view = await store.viewStory(id).catch(() => undefined);
  if (view?.state === "completed") {
    if (view.record.source !== "worktree") return false;
    throw new SagaError("in-use", `${id} is merged but still has a worktree.`, {
      hint: "`saga clean` removes the worktree; `saga archive` archives the story.",
    });
  }
  if (view?.record.source === "archive") {
    throw new SagaError("not-ready", `Cannot remove ${id}: it is in the archive.`, {
      hint: "Archived stories are kept.",
    });
  }
  const runs = await store.listRuns(id);
  return (
    view?.record.source === "worktree" || view?.record.story.branch !== undefined || runs.length > 0
  );
}

async function isConfirmed({ io }: CommandContext, name: DefinitionName): Promise<boolean> {
  const label = definitionLabel(name);
  if (!io.isTerminal) {
    throw new SagaError(
      "usage",
      `Removing ${label} needs a confirmation, and this is not a terminal.`,
      {
        hint: `Confirm with \`saga rm ${label} --yes\`. Its files are kept in .saga/removed.`,
      },
    );
  }
  const answer = await io.ask(
    `Remove the ${name.kind} ${label}? Its files and work are kept. [y/N] `,
  );
  return isYes(answer);
}

const declined = (name: DefinitionName): CommandResult => ({
  json: { kind: name.kind, id: definitionLabel(name), isRemoved: false },
  text: () => "Nothing was removed.\n",
  exitCode: 1,
});

function removalResult(
  name: DefinitionName,
  { from, to, dependants }: Removed,
  discarded: DiscardResult | undefined,
  project: string,
): CommandResult {
  const label = definitionLabel(name);
  const snapshot = discarded?.snapshot;
  const restore = [
    `mv ${shellWord(relative(project, to))} ${shellWord(relative(project, from))}`,
    ...(snapshot === undefined ? [] : [`saga snapshot restore ${name.id} ${snapshot}`]),
  ];
  return {
    json: { kind: name.kind, id: label, isRemoved: true, from, to, dependants, snapshot, restore },
    text: (paint) =>
      [
        `Removed ${name.kind} ${paint("bold", label)}.`,
        ...line("changed", dependants.join(", "), paint),
        ...restore.flatMap((command) => line("undo", command, paint)),
        ...(discarded?.left ?? []).map((sentence) => paint("yellow", plain(sentence))),
        "",
      ].join("\n"),
  };
}

const line = (head: string, text: string, paint: Paint): string[] =>
  text === "" ? [] : [`  ${paint("dim", head.padEnd(10))}${plain(text)}`];
