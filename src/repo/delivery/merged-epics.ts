// Finds epics whose branch was merged without Saga, for example on GitHub. Nothing is fetched.

import { SagaError } from "../../errors.ts";
import type { Environment } from "../../machine/processes/environment.ts";
import { findBase, findRepository } from "../repository.ts";
import { fromRef, isInBase, tipRef } from "./epic-refs.ts";
import { commitOf } from "../refs.ts";

/** The part of the store that is needed here; this layer may not import the store. */
export interface EpicStore {
  readonly project: string;
  readonly settings: () => Promise<{ readonly git: { readonly base?: string | undefined } }>;
  readonly noteEpic: (epicId: string, notes: { readonly merged: string }) => Promise<void>;
}

/**
 * Records which of these epics are merged, and returns whether there was one. Errors of git and the settings count as
 * no: other commands report them.
 */
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
