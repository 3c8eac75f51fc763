// The environment of a rehearsal: Claude Code finds no login, settings or history, only the scripted model. Nothing in
// the person's home is read or written.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Environment } from "../machine/processes/environment.ts";

export function rehearsalEnv(
  env: Environment,
  { folder, modelUrl }: { readonly folder: string; readonly modelUrl: string },
): Record<string, string | undefined> {
  const config = join(folder, "claude");
  const state = join(folder, "state");
  mkdirSync(config, { recursive: true });
  return {
    ...env,
    CLAUDE_CONFIG_DIR: config,
    XDG_STATE_HOME: state,
    ANTHROPIC_BASE_URL: modelUrl,
    ANTHROPIC_API_KEY: "a-rehearsal-needs-no-key",
    ANTHROPIC_AUTH_TOKEN: undefined,
    CLAUDE_CODE_OAUTH_TOKEN: undefined,
    CLAUDE_CODE_USE_BEDROCK: undefined,
    CLAUDE_CODE_USE_VERTEX: undefined,
    DISABLE_TELEMETRY: "1",
    DISABLE_AUTOUPDATER: "1",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    // Allows root: the agent is scripted and works on a copy.
    IS_SANDBOX: "1",
  };
}
