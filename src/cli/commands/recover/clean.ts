import { filledSetAsides, halfWritten, removeHalfWritten } from "../../../tasks/daemon-files.ts";
import { cleanBranches } from "../../clean/branches.ts";
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
  /** What was looked at and is needed still, with the reason. */
  readonly left: readonly string[];
  readonly isDryRun: boolean;
}

export const build: Build = (builder) =>
  builder.action(
    builder
      .command(
        "clean",
        "Remove what is left over: ended sessions' files, task lists, merged worktrees and branches.",
        ["saga clean --dry-run     only say what would go", "saga clean"],
      )
      .option("--dry-run", "remove nothing, only say what would go"),
    async ({ io, openProject }, _, { dryRun: isDryRun = false }: Options) => {
      const store = openProject();
      const leases = await cleanLeases(store, isDryRun);
      const worktrees = await cleanWorktrees(store, io.env, isDryRun);
      const branches = await cleanBranches(store, io.env, isDryRun);
      const runs = await cleanRuns(store, io.env, isDryRun);
      const removed = [
        ...leases,
        ...worktrees.removed,
        ...branches,
        ...runs,
        ...cleanHalfWritten(store.project, isDryRun),
      ];
      const left = [...worktrees.left, ...filledSetAsides(store.project).map(asideLine)];
      const cleaned = { removed, left, isDryRun };
      return { json: cleaned, text: (paint) => render(cleaned, paint) };
    },
  );

/** Of the pool's own files. */
function cleanHalfWritten(project: string, isDryRun: boolean): string[] {
  const files = halfWritten(project);
  if (!isDryRun) removeHalfWritten(files);
  return files;
}

/** Nobody but a person knows what it is worth. */
const asideLine = (folder: string): string =>
  `${folder} has what no snapshot could hold. Remove it when you have what you need of it.`;

function render({ removed, left, isDryRun }: Cleaned, paint: Paint): string {
  const lines = [
    ...removed.map((path) => `${isDryRun ? "would remove" : "removed"}  ${plain(path)}`),
    ...left.map((why) => `${paint("dim", "left")}  ${plain(why)}`),
  ];
  return lines.length === 0 ? "There is nothing to clean.\n" : `${lines.join("\n")}\n`;
}
