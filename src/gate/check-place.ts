// Where and how a check runs: one answer for a worker's task, a session's task, a story, the pool and a lane. A command
// must get the same environment and timeout everywhere, or it passes in one place and fails in another. So it knows its
// folder and its ports, and no story: in a lane one run is for several.

import {
  plainEnvironment,
  PROXY_VARIABLES,
  type Environment,
} from "../machine/processes/environment.ts";
import { commonDirOf } from "../machine/programs/common-dir.ts";
import { portVariables, type PortSettings } from "../repo/worktree/ports.ts";
import type { CheckPlace } from "./checks.ts";

/** The part of the settings that affects checks. */
export interface CheckSettings {
  readonly claude: { readonly passEnv: readonly string[] };
  readonly gate: { readonly checkMinutes: number };
  readonly worktree: PortSettings;
}

interface CheckRequest {
  readonly cwd: string;
  /** The git folder that all worktrees share: it knows the story's ports. Undefined outside of a repository. */
  readonly commonDir: string | undefined;
  /** The caller's environment. Claude's login and other secrets are filtered out. */
  readonly env: Environment;
  /** Whose ports it gets. */
  readonly storyId: string;
  readonly settings: CheckSettings;
  /** Marks that identify its processes. */
  readonly variables?: Readonly<Record<string, string>> | undefined;
  readonly stop?: AbortSignal | undefined;
  readonly onOutput?: ((chunk: Buffer) => void) | undefined;
}

/** Always passed, besides the settings' variables: proxies and certificates for network access. */
const PASSED = [...PROXY_VARIABLES, "NODE_EXTRA_CA_CERTS"];

export async function checkPlace(request: CheckRequest): Promise<CheckPlace> {
  const { cwd, commonDir, storyId, settings } = request;
  const ports = commonDir && (await portVariables({ commonDir, storyId }, settings.worktree));
  return {
    cwd,
    env: {
      ...plainEnvironment(request.env, [...PASSED, ...settings.claude.passEnv]),
      SAGA_PROJECT_DIR: cwd,
      ...ports,
      ...request.variables,
    },
    timeoutMs: settings.gate.checkMinutes * 60_000,
    stop: request.stop,
    onOutput: request.onOutput,
  };
}

interface SessionRequest {
  readonly checkout: string;
  readonly storyId: string;
  readonly settings: Pick<CheckSettings, "worktree">;
}

/** The ports for a person's session, so that a command by hand does what its check does. */
export async function sessionPorts({ checkout, storyId, settings }: SessionRequest) {
  const commonDir = commonDirOf(checkout);
  const claimed = commonDir && portVariables({ commonDir, storyId }, settings.worktree);
  // Without a free range the session starts all the same.
  const ports: Environment = (await Promise.resolve(claimed || {}).catch(() => undefined)) ?? {};
  return { SAGA_PORT: ports["SAGA_PORT"], SAGA_PORT_COUNT: ports["SAGA_PORT_COUNT"] };
}
