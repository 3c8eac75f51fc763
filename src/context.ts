// The dependencies that most functions need. Types only, so every layer may import it.

import type { Environment } from "./machine/processes/environment.ts";
import type { Forge } from "./machine/forge/forge.ts";
import type { Repository } from "./repo/repository.ts";
import type { Store } from "./store/store.ts";
import type { Settings } from "./story/settings/settings.ts";

/** A function takes the part that it uses: `Pick<Context, "store" | "env">`. */
export interface Context {
  readonly store: Store;
  readonly settings: Settings;
  readonly env: Environment;
  readonly now: () => number;
  readonly stop: AbortSignal;
  readonly repository: Repository;
  readonly forge: Forge;
}
