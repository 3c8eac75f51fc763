import type { Store } from "../../store/store.ts";

/** What other machines had, for a project that is not in a fleet any more: only copies. */
export async function cleanElsewhere(
  { elsewhere, settings }: Pick<Store, "elsewhere" | "settings">,
  isDryRun: boolean,
): Promise<string[]> {
  if ((await settings()).fleet.name !== undefined) return [];
  const folder = await elsewhere.clear(isDryRun);
  return folder === undefined ? [] : [folder];
}
