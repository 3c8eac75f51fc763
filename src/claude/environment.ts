// The environment of an agent: what Claude Code needs to run and to be logged in, and the story it works on.
// Nothing else of the parent's environment: secrets of other programs stay outside.

import {
  plainEnvironment,
  PROXY_VARIABLES,
  type Environment,
} from "../machine/processes/environment.ts";

/** A login may come from these, besides files in the home folder. */
export const LOGIN_VARIABLES = [
  "ANTHROPIC_API_KEY",
  "ANTHROPIC_AUTH_TOKEN",
  "ANTHROPIC_BASE_URL",
  "CLAUDE_CODE_OAUTH_TOKEN",
  "CLAUDE_CODE_USE_BEDROCK",
  "CLAUDE_CODE_USE_VERTEX",
  "CLAUDE_CONFIG_DIR",
] as const;

/** How Claude Code reaches the model and behaves: settings of the person, not secrets of other programs. */
const CLAUDE_VARIABLES = [
  ...LOGIN_VARIABLES,
  "ANTHROPIC_MODEL",
  "ANTHROPIC_SMALL_FAST_MODEL",
  "ANTHROPIC_CUSTOM_HEADERS",
  "ANTHROPIC_VERTEX_PROJECT_ID",
  "CLOUD_ML_REGION",
  "AWS_REGION",
  "AWS_PROFILE",
  "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
  "CLAUDE_CODE_MAX_RETRIES",
  "API_TIMEOUT_MS",
  "DISABLE_TELEMETRY",
  "DISABLE_ERROR_REPORTING",
  "DISABLE_AUTOUPDATER",
  "IS_SANDBOX",
  ...PROXY_VARIABLES,
  "NODE_EXTRA_CA_CERTS",
] as const;

/** Variables that a worker may need later, for its own programs and for Claude Code. */
export const WORKER_VARIABLES = [
  ...CLAUDE_VARIABLES,
  "SAGA_SESSION_DIR",
  "SSH_AUTH_SOCK",
  "GIT_SSH",
  "GIT_SSH_COMMAND",
  "GIT_CONFIG_GLOBAL",
  "GIT_CONFIG_SYSTEM",
  "GH_TOKEN",
  "GITHUB_TOKEN",
  "GH_HOST",
  "GH_ENTERPRISE_TOKEN",
  "GITHUB_ENTERPRISE_TOKEN",
  "GH_CONFIG_DIR",
  // Needed for the system's keyring, where `gh` may keep its login.
  "DBUS_SESSION_BUS_ADDRESS",
  "TMUX_TMPDIR",
  "XDG_STATE_HOME",
  // For the worker's own lease. Agents do not get it.
  "SAGA_FLEET_URL",
  "SAGA_FLEET_MACHINE",
] as const;

export interface AgentEnvironmentOptions {
  readonly taskListId: string;
  readonly variables: Readonly<Record<string, string>>;
  /** Further variables that the settings pass on. */
  readonly pass: readonly string[];
}

export function agentEnvironment(
  env: Environment,
  { taskListId, variables, pass }: AgentEnvironmentOptions,
): Record<string, string> {
  return {
    ...plainEnvironment(env, [...CLAUDE_VARIABLES, ...pass]),
    ...variables,
    ...runSwitches(taskListId),
  };
}

/**
 * Set in the environment and in settings that outrank the repository's own, which could otherwise point the
 * agent to another list.
 */
export const runSwitches = (taskListId: string): Record<string, string> => ({
  CLAUDE_CODE_TASK_LIST_ID: taskListId,
  CLAUDE_CODE_ENABLE_TASKS: "true",
  CLAUDE_CODE_ENABLE_TODO_TOOLS: "1",
  // A background task keeps a run alive after its end, and calls the model again.
  CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "1",
  // Auto memory writes to the home folder.
  CLAUDE_CODE_DISABLE_AUTO_MEMORY: "1",
});
