// What an agent finds in its environment: what Claude Code needs to run and to be logged in, the
// story it works on, and nothing else of the parent's. Secrets of other programs stay outside.

import {
  plainEnvironment,
  PROXY_VARIABLES,
  type Environment,
} from "../machine/processes/environment.ts";

/** Where a login may come from, besides the files in the home folder. */
export const LOGIN_VARIABLES = [
  "ANTHROPIC_API_KEY",
  "ANTHROPIC_AUTH_TOKEN",
  "ANTHROPIC_BASE_URL",
  "CLAUDE_CODE_OAUTH_TOKEN",
  "CLAUDE_CODE_USE_BEDROCK",
  "CLAUDE_CODE_USE_VERTEX",
  "CLAUDE_CONFIG_DIR",
] as const;

/** How it reaches the model, and how it behaves: choices of the person, no secrets of others. */
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

/** Everything of the caller's that a worker may need later: its own programs and Claude Code's. */
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
  // The way to the system's keyring, where `gh` may keep its login.
  "DBUS_SESSION_BUS_ADDRESS",
  "TMUX_TMPDIR",
  "XDG_STATE_HOME",
] as const;

export interface AgentSurroundings {
  readonly taskListId: string;
  /** SAGA_* variables of the story, and ports. */
  readonly story: Readonly<Record<string, string>>;
  /** Further names that the settings let through. */
  readonly pass: readonly string[];
}

export function agentEnvironment(
  env: Environment,
  { taskListId, story, pass }: AgentSurroundings,
): Record<string, string> {
  return {
    ...plainEnvironment(env, [...CLAUDE_VARIABLES, ...pass]),
    ...story,
    ...runSwitches(taskListId),
  };
}

/**
 * Said twice: in the environment, and in the settings that outrank the repository's own, which could
 * otherwise send the agent to another list.
 */
export const runSwitches = (taskListId: string): Record<string, string> => ({
  CLAUDE_CODE_TASK_LIST_ID: taskListId,
  CLAUDE_CODE_ENABLE_TASKS: "true",
  CLAUDE_CODE_ENABLE_TODO_TOOLS: "1",
  // Work in the background keeps a run alive after its end, and calls the model again.
  CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "1",
  // It invites writing to the home folder.
  CLAUDE_CODE_DISABLE_AUTO_MEMORY: "1",
});
