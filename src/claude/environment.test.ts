import { describe, expect, it } from "vitest";
import { plainEnvironment } from "../machine/processes/environment.ts";
import { agentEnvironment, runSwitches, WORKER_VARIABLES } from "./environment.ts";

const context = { taskListId: "saga__x", variables: {}, pass: [] };
const FOREIGN = {
  AWS_ACCESS_KEY_ID: "secret",
  AWS_SECRET_ACCESS_KEY: "secret",
  AWS_SESSION_TOKEN: "secret",
  GH_TOKEN: "secret",
  GITHUB_TOKEN: "secret",
  NPM_TOKEN: "secret",
  OPENAI_API_KEY: "secret",
  DATABASE_URL: "secret",
  SSH_AUTH_SOCK: "secret",
  KUBECONFIG: "secret",
  NODE_OPTIONS: "secret",
  LD_PRELOAD: "secret",
  GIT_DIR: "secret",
  CLAUDECODE: "secret",
};

describe("the environment of an agent", () => {
  it("holds no secret of another program", () => {
    const env = agentEnvironment({ PATH: "/bin", HOME: "/h", ...FOREIGN }, context);
    expect(env).toEqual({ PATH: "/bin", HOME: "/h", ...runSwitches("saga__x") });
  });

  it("holds what Claude Code needs to be logged in and to reach its model", () => {
    const login = {
      ANTHROPIC_API_KEY: "k",
      ANTHROPIC_BASE_URL: "http://127.0.0.1:1",
      CLAUDE_CODE_OAUTH_TOKEN: "t",
      CLAUDE_CONFIG_DIR: "/c",
      HTTPS_PROXY: "http://proxy",
      https_proxy: "http://proxy",
    };
    expect(agentEnvironment(login, context)).toMatchObject(login);
  });

  it("holds what the settings let through, when it is there", () => {
    const pass = ["DATABASE_URL", "NOT_THERE"];
    const env = agentEnvironment(FOREIGN, { ...context, pass });
    expect(env).toEqual({ DATABASE_URL: "secret", ...runSwitches("saga__x") });
  });

  it("says which story and list it is, whatever the caller and the settings say", () => {
    const env = { SAGA_STORY_ID: "other", CLAUDE_CODE_TASK_LIST_ID: "other" };
    const variables = { SAGA_STORY_ID: "mine", SAGA_PORT: "42000" };
    expect(agentEnvironment(env, { ...context, variables, pass: Object.keys(env) })).toMatchObject({
      ...variables,
      CLAUDE_CODE_TASK_LIST_ID: "saga__x",
    });
  });

  it("switches the Task tools on, and what would outlive the run off", () => {
    expect(runSwitches("saga__x")).toMatchObject({
      CLAUDE_CODE_ENABLE_TODO_TOOLS: "1",
      CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "1",
      CLAUDE_CODE_DISABLE_AUTO_MEMORY: "1",
    });
  });
});

describe("the environment of a worker", () => {
  it.each([
    ["git", ["SSH_AUTH_SOCK", "GIT_SSH_COMMAND", "GIT_CONFIG_GLOBAL", "http_proxy", "no_proxy"]],
    ["gh", ["GH_TOKEN", "GITHUB_ENTERPRISE_TOKEN", "GH_CONFIG_DIR", "DBUS_SESSION_BUS_ADDRESS"]],
    ["tmux", ["TMUX_TMPDIR"]],
    ["Claude Code", ["ANTHROPIC_API_KEY", "CLAUDE_CONFIG_DIR", "NODE_EXTRA_CA_CERTS"]],
  ])("has what %s is given", (_, names) => {
    expect(WORKER_VARIABLES).toEqual(expect.arrayContaining(names));
  });

  it("has no variables of other programs", () => {
    const { GH_TOKEN, GITHUB_TOKEN, SSH_AUTH_SOCK } = FOREIGN;
    const passed = plainEnvironment(FOREIGN, WORKER_VARIABLES);
    expect(passed).toEqual({ GH_TOKEN, GITHUB_TOKEN, SSH_AUTH_SOCK });
  });
});
