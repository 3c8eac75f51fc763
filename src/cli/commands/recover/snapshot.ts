import { SagaError } from "../../../errors.ts";
import { findBase, findRepository, type Repository } from "../../../repo/repository.ts";
import {
  listSnapshots,
  restoreSnapshot,
  type SnapshotInfo,
  type Restored,
} from "../../../repo/rescue/restore.ts";
import { storyLease } from "../../../store/leases/lease-names.ts";
import { count } from "../../../text/plural.ts";
import { requireId } from "../../../story/definition/names.ts";
import { duration } from "../../../text/duration.ts";
import type { Build, CommandContext } from "../../program/command.ts";
import { columns, plain, type Paint } from "../../output/terminal.ts";

export const build: Build = (builder) => {
  const snapshot = builder.command(
    "snapshot",
    "List or restore snapshots of uncommitted and discarded work.",
    ["saga snapshot list", "saga snapshot list add-login", "saga snapshot restore add-login 3"],
  );
  snapshot.addCommand(
    builder.action(
      builder
        .command("list", "List snapshots, newest first.", ["saga snapshot list add-login"])
        .argument("[story]", "only snapshots of this story"),
      async (context, [storyId]) => {
        const { git } = await repositoryOf(context);
        const keeps = await listSnapshots(git, storyId && requireId("story", storyId));
        return { json: { keeps }, text: (paint) => renderSnapshots(keeps, paint) };
      },
    ),
  );
  snapshot.addCommand(
    builder.action(
      builder
        .command(
          "restore",
          "Restore a snapshot into the story's worktree; recreates worktree and branch if needed.",
          ["saga snapshot restore add-login 3", "saga snapshot restore add-login     the newest"],
        )
        .argument("<story>", "the story")
        .argument("[number]", "the snapshot's number (default: the newest)"),
      async (context, [word = "", number]) => {
        const storyId = requireId("story", word);
        const repository = await repositoryOf(context);
        await requireIdle(context, storyId);
        const chosen = await chooseSnapshot(repository, storyId, number);
        const store = context.openProject();
        const settings = await store.settings();
        const { copy, link } = settings.worktree;
        const exclude = [...copy, ...link];
        const rebuild = {
          base: () => findBase(repository, settings.git.base),
          copyStoryToWorktree: (folder: string) => store.copyStoryToWorktree(storyId, folder),
        };
        const request = { repository, storyId, number: chosen, exclude, rebuild };
        const restored = await restoreSnapshot(request);
        return { json: restored, text: () => renderRestored(storyId, chosen, restored) };
      },
    ),
  );
  return snapshot;
};

const repositoryOf = ({ io, openProject }: CommandContext): Promise<Repository> =>
  findRepository(openProject().project, io.env);

async function requireIdle({ openProject }: CommandContext, storyId: string): Promise<void> {
  const lease = await openProject().leases.read(storyLease(storyId));
  if (lease?.life !== "alive") return;
  throw new SagaError("in-use", `${storyId} is running.`, {
    hint: `Stop it first: \`saga stop ${storyId}\`.`,
  });
}

async function chooseSnapshot(
  { git }: Repository,
  storyId: string,
  option: string | undefined,
): Promise<number> {
  const numbers = (await listSnapshots(git, storyId)).map(({ number }) => number);
  const chosen = option === undefined ? Math.max(...numbers) : Number(option);
  if (numbers.includes(chosen)) return chosen;
  throw new SagaError(
    "not-found",
    numbers.length === 0
      ? `The story ${storyId} has no snapshots.`
      : `The story ${storyId} has no snapshot ${option}.`,
    { hint: "`saga snapshot list` lists all snapshots." },
  );
}

function renderSnapshots(keeps: readonly SnapshotInfo[], paint: Paint): string {
  if (keeps.length === 0) return "No snapshots.\n";
  const nowMs = Date.now();
  const rows = keeps.map(({ storyId, number, savedAtMs, why, files }) => [
    storyId,
    String(number),
    `${duration(nowMs - savedAtMs)} ago`,
    count(files, "file"),
    plain(why),
  ]);
  const [head = "", ...lines] = columns([["STORY", "NUMBER", "WHEN", "CHANGED", "WHY"], ...rows]);
  return `${[paint("dim", head), ...lines].join("\n")}\n`;
}

function renderRestored(storyId: string, number: number, restored: Restored): string {
  if (restored.kind === "branch") {
    return `${storyId} has no worktree, so snapshot ${number} was restored to the branch ${restored.branch}.\n`;
  }
  const { folder, branch, saved } = restored;
  const more = [
    branch && `Its branch ${branch} was restored too. Continue: \`saga resume ${storyId}\`.`,
    saved && `The previous files are in snapshot ${saved.number}.`,
  ].filter(Boolean);
  return `${[`Restored snapshot ${number} to ${plain(folder)}.`, ...more].join(" ")}\n`;
}
