// Where and how a check runs: one answer for a worker's task, a session's task, a story and the pool. A command must get
// the same environment and timeout everywhere, or it passes in one place and fails in another.

import {
  plainEnvironment,
  PROXY_VARIABLES,
  type Environment,
} from "../machine/processes/environment.ts";
import type { CheckPlace } from "./checks.ts";

/** The part of the settings that affects checks. */
export interface CheckSettings {
  readonly claude: { readonly passEnv: readonly string[] };
  readonly gate: { readonly checkMinutes: number };
}

interface CheckRequest {
  readonly cwd: string;
  /** The caller's environment. Claude's login and other secrets are filtered out. */
  readonly env: Environment;
  readonly storyId: string;
  readonly settings: CheckSettings;
  /** The story's ports, and marks that identify its processes. */
  readonly variables?: Readonly<Record<string, string>> | undefined;
  readonly stop?: AbortSignal | undefined;
  readonly onOutput?: ((chunk: Buffer) => void) | undefined;
}

/** Always passed, besides the settings' variables: proxies and certificates for network access. */
const PASSED = [...PROXY_VARIABLES, "NODE_EXTRA_CA_CERTS"];

export const checkPlace = (request: CheckRequest): CheckPlace => ({
  cwd: request.cwd,
  env: {
    ...plainEnvironment(request.env, [...PASSED, ...request.settings.claude.passEnv]),
    SAGA_STORY_ID: request.storyId,
    SAGA_STORY_PATH: request.storyId,
    SAGA_PROJECT_DIR: request.cwd,
    ...request.variables,
  },
  timeoutMs: request.settings.gate.checkMinutes * 60_000,
  stop: request.stop,
  onOutput: request.onOutput,
});
