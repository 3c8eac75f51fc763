// Where a check runs: the one answer for a task in a worker, a task in a session, a story and the pool. The
// same command must find the same environment and the same time everywhere, or it passes in one place and
// fails in another.

import {
  plainEnvironment,
  PROXY_VARIABLES,
  type Environment,
} from "../machine/processes/environment.ts";
import type { CheckPlace } from "./checks.ts";

/** Of the settings, what decides about it. */
export interface CheckSettings {
  readonly claude: { readonly passEnv: readonly string[] };
  readonly gate: { readonly checkMinutes: number };
}

interface CheckRequest {
  readonly cwd: string;
  /** The caller's own. Claude's login and other secrets in it do not pass. */
  readonly env: Environment;
  readonly storyId: string;
  readonly settings: CheckSettings;
  /** Ports of the story, and marks by which its processes are found. */
  readonly variables?: Readonly<Record<string, string>> | undefined;
  readonly stop?: AbortSignal | undefined;
}

/** Besides what the settings let through: how to get out, and whom to believe there. */
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
});
