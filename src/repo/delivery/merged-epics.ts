// Epics whose own branch was merged without Saga, on GitHub for one: as far as git knows here, nothing is fetched.

import { SagaError } from "../../errors.ts";
import type { Environment } from "../../machine/processes/environment.ts";
import { findBase, findRepository } from "../repository.ts";
import { fromRef, isInBase, tipRef } from "./epic-refs.ts";
import { commitOf } from "../refs.ts";

/** As much of the store as this needs. */
export interface EpicStore {
  readonly project: string;
  readonly settings: () => Promise<{ readonly git: { readonly base?: string | undefined } }>;
  readonly noteEpic: (epicId: string, notes: { readonly merged: string }) => Promise<void>;
}

/** Of these; answers whether there was one. Where git or the settings cannot tell, others say why. */
export async function noteMergedEpics(
  store: EpicStore,
  env: Environment,
  epicIds: readonly string[],
): Promise<boolean> {
  if (epicIds.length === 0) return false;
  try {
    const { git: setting } = await store.settings();
    const repository = await findRepository(store.project, env);
    const { commit, copies } = await findBase(repository, setting.base);
    const { git } = repository;
    let hasFound = false;
    for (const epicId of epicIds) {
      const last = await commitOf(git, tipRef(epicId));
      const from = await commitOf(git, fromRef(epicId));
      if (last === undefined) continue;
      for (const base of new Set([commit, ...copies])) {
        if (!(await isInBase(git, { from, last, base }))) continue;
        await store.noteEpic(epicId, { merged: last });
        hasFound = true;
        break;
      }
    }
    return hasFound;
  } catch (error) {
    if (error instanceof SagaError) return false;
    throw error;
  }
}
