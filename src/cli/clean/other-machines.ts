import { existsSync, rmSync } from "node:fs";
import { elsewhereFolder, layoutOf } from "../../store/project/layout.ts";
import type { Store } from "../../store/store.ts";

/** What other machines had, for a project that is not in a fleet any more: only copies. */
export async function cleanElsewhere(
  { project, settings }: Pick<Store, "project" | "settings">,
  isDryRun: boolean,
): Promise<string[]> {
  const folder = elsewhereFolder(layoutOf(project));
  if (!existsSync(folder) || (await settings()).fleet.name !== undefined) return [];
  if (!isDryRun) rmSync(folder, { recursive: true, force: true });
  return [folder];
}
