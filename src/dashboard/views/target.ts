import { SagaError } from "../../errors.ts";
import type { Environment } from "../../machine/processes/environment.ts";
import { findBase, findRepository } from "../../repo/repository.ts";
import type { Store } from "../../store/store.ts";

/** The branch that stories start from and are merged into. Undefined if unclear: `saga run` says why. */
export async function readTarget(store: Store, env: Environment): Promise<string | undefined> {
  try {
    const { git } = await store.settings();
    return (await findBase(await findRepository(store.project, env), git.base)).target;
  } catch (error) {
    if (error instanceof SagaError) return undefined;
    throw error;
  }
}
