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
    "Snapshots of uncommitted and of discarded work: list them, or bring one back.",
    ["saga snapshot list", "saga snapshot list add-login", "saga snapshot restore add-login 3"],
  );
  snapshot.addCommand(
    builder.action(
      builder
        .command("list", "List the snapshots, newest first.", ["saga snapshot list add-login"])
        .argument("[story]", "only of this story"),
      async (context, [storyId]) => {
        const { git } = await repositoryOf(context);
        const keeps = (await listSnapshots(git, storyId && requireId("story", storyId))).toSorted(
          newestFirst,
        );
        return { json: { keeps }, text: (paint) => renderKeeps(keeps, paint) };
      },
    ),
  );
  snapshot.addCommand(
    builder.action(
      builder
        .command(
          "restore",
          "Bring a snapshot back into the story's worktree, with worktree and branch when they are gone.",
          ["saga snapshot restore add-login 3", "saga snapshot restore add-login     the newest"],
        )
        .argument("<story>", "whose snapshot")
        .argument("[number]", "which one; the newest when not said"),
      async (context, [given = "", number]) => {
        const storyId = requireId("story", given);
        const repository = await repositoryOf(context);
        await requireIdle(context, storyId);
        const chosen = await chooseKeep(repository, storyId, number);
        const store = context.openProject();
        const settings = await store.settings();
        const { copy, link } = settings.worktree;
        const exclude = [...copy, ...link];
        const rebuild = {
          base: () => findBase(repository, settings.git.base),
          carryStory: (folder: string) => store.carryStory(storyId, folder),
        };
        const request = { repository, storyId, number: chosen, exclude, rebuild };
        const restored = await restoreSnapshot(request);
        return { json: restored, text: () => renderRestored(storyId, chosen, restored) };
      },
    ),
  );
  return snapshot;
};

/** Git counts seconds: of two in the same one, the higher number is the newer. */
const newestFirst = (one: SnapshotInfo, other: SnapshotInfo): number =>
  other.keptAtMs - one.keptAtMs || other.number - one.number;

const repositoryOf = ({ io, openProject }: CommandContext): Promise<Repository> =>
  findRepository(openProject().project, io.env);

async function requireIdle({ openProject }: CommandContext, storyId: string): Promise<void> {
  const lease = await openProject().leases.read(storyLease(storyId));
  if (lease?.life !== "alive") return;
  throw new SagaError("in-use", `The story ${storyId} is being worked on.`, {
    hint: `Stop it first: \`saga stop ${storyId}\`.`,
  });
}

async function chooseKeep(
  { git }: Repository,
  storyId: string,
  given: string | undefined,
): Promise<number> {
  const numbers = (await listSnapshots(git, storyId)).map(({ number }) => number);
  const chosen = given === undefined ? Math.max(...numbers) : Number(given);
  if (numbers.includes(chosen)) return chosen;
  throw new SagaError(
    "not-found",
    numbers.length === 0
      ? `There is no snapshot of ${storyId}.`
      : `The story ${storyId} has no snapshot ${given}.`,
    { hint: "`saga snapshot list` shows what there is." },
  );
}

function renderKeeps(keeps: readonly SnapshotInfo[], paint: Paint): string {
  if (keeps.length === 0) return "There are no snapshots.\n";
  const nowMs = Date.now();
  const rows = keeps.map(({ storyId, number, keptAtMs, why, files }) => [
    storyId,
    String(number),
    `${duration(nowMs - keptAtMs)} ago`,
    count(files, "file"),
    plain(why),
  ]);
  const [head = "", ...lines] = columns([["STORY", "NUMBER", "WHEN", "CHANGED", "WHY"], ...rows]);
  return `${[paint("dim", head), ...lines].join("\n")}\n`;
}

function renderRestored(storyId: string, number: number, restored: Restored): string {
  if (restored.kind === "branch") {
    return `The story ${storyId} has no worktree: snapshot ${number} is on the branch ${restored.branch}.\n`;
  }
  const { folder, branch, saved } = restored;
  const more = [
    branch && `Its branch ${branch} is back too; \`saga resume ${storyId}\` goes on with it.`,
    saved && `What was there is snapshot ${saved.number}.`,
  ].filter(Boolean);
  return `${[`Snapshot ${number} is back in ${plain(folder)}.`, ...more].join(" ")}\n`;
}
