import { filledSetAsides, halfWritten, removeHalfWritten } from "../../../tasks/daemon-files.ts";
import { cleanBranches } from "../../clean/branches.ts";
import { cleanElsewhere } from "../../clean/other-machines.ts";
import { cleanLeases } from "../../clean/leases.ts";
import { cleanRuns } from "../../clean/runs.ts";
import { cleanWorktrees } from "../../clean/worktrees.ts";
import type { Build } from "../../program/command.ts";
import { plain, type Paint } from "../../output/terminal.ts";

interface Options {
  readonly dryRun?: boolean;
}

interface Cleaned {
  readonly removed: readonly string[];
  /** A sentence for each that was kept, with the reason. */
  readonly left: readonly string[];
  readonly isDryRun: boolean;
}

export const build: Build = (builder) =>
  builder.action(
    builder
      .command(
        "clean",
        "Delete files of ended sessions, old task lists, and merged worktrees and branches; never unmerged work.",
        ["saga clean --dry-run     show what would be deleted", "saga clean"],
      )
      .option("--dry-run", "delete nothing, only show what would be deleted"),
    async ({ io, openProject }, _, { dryRun: isDryRun = false }: Options) => {
      const store = openProject();
      const leases = await cleanLeases(store, isDryRun);
      const worktrees = await cleanWorktrees(store, io.env, isDryRun);
      const branches = await cleanBranches(store, io.env, isDryRun);
      const runs = await cleanRuns(store, io.env, isDryRun);
      const removed = [
        ...leases,
        ...worktrees.removed,
        ...branches.removed,
        ...runs,
        ...cleanHalfWritten(store.project, isDryRun),
        ...(await cleanElsewhere(store, isDryRun)),
      ];
      const left = [
        ...worktrees.left,
        ...branches.left,
        ...filledSetAsides(store.project).map(asideLine),
      ];
      const cleaned = { removed, left, isDryRun };
      return { json: cleaned, text: (paint) => render(cleaned, paint) };
    },
  );

/** Partly written files of the pool. */
function cleanHalfWritten(project: string, isDryRun: boolean): string[] {
  const files = halfWritten(project);
  if (!isDryRun) removeHalfWritten(files);
  return files;
}

/** Only a person can decide about these files. */
const asideLine = (folder: string): string =>
  `${folder} has files that no snapshot could hold. Delete it when you do not need them.`;

function render({ removed, left, isDryRun }: Cleaned, paint: Paint): string {
  const lines = [
    ...removed.map((path) => `${isDryRun ? "would remove" : "removed"}  ${plain(path)}`),
    ...left.map((why) => `${paint("dim", "kept")}  ${plain(why)}`),
  ];
  return lines.length === 0 ? "Nothing to clean.\n" : `${lines.join("\n")}\n`;
}
