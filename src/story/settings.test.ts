import { parse } from "smol-toml";
import { describe, expect, it } from "vitest";
import { commentedConfig, configSchema, SETTINGS, settingsOf } from "./settings.ts";

const defaults = {
  claude: {
    path: undefined,
    model: "opus",
    tools: [],
    passEnv: [],
    sandbox: false,
    sandboxWrite: [],
  },
  run: { maxCycles: 10, maxMinutes: 60, maxCost: undefined, keep: 50 },
  limits: { wait: undefined, pause: 60 },
  git: { base: undefined, push: "auto" },
  forge: { kind: "auto" },
  delivery: { kind: "story-pr", updateCheckout: false, archive: false },
  worktree: {
    copy: [],
    link: [],
    setup: undefined,
    setupMinutes: 10,
    firstPort: 42_000,
    ports: 10,
  },
  size: { maxFiles: 5, maxLines: 200, watch: true },
  watch: { checkInMinutes: 3, silentCheckIns: 2, toolMinutes: 30, planMinutes: 5, planCost: 1 },
  gate: {
    protected: [
      ".saga/config.toml",
      ".claude/settings*.json",
      ".claude/hooks/**",
      ".mcp.json",
      ".github/workflows/**",
    ],
    checkMinutes: 20,
    inspectMinutes: 15,
    mendRounds: 2,
    maxFiles: 100,
    maxLines: 5000,
    maxDeletedFiles: 20,
    maxDeletedPercent: 30,
    maxBinaryKb: 1024,
    secrets: true,
    secretsAllow: [],
  },
  auto: {
    taskListId: undefined,
    tasksRoot: undefined,
    contextConfigPath: ".claude/saga_task_context.toml",
    workers: 2,
    maxAttempts: 3,
    checks: [],
    target: undefined,
    pollSeconds: 30,
    repairs: 3,
    repairPause: 10,
    repairMinutes: 5,
    repairCost: 1,
    hangSeconds: 60,
  },
  recover: { resume: false },
  notices: {
    bell: true,
    desktop: false,
    command: undefined,
    webhookEnv: undefined,
    webhook: undefined,
    on: [
      "blocked",
      "failed",
      "review",
      "limit",
      "interrupted",
      "epic-done",
      "epic-stopped",
      "pool",
    ],
  },
};
const settings = (toml: string): unknown => settingsOf(configSchema.parse(parse(toml)));

describe("the settings", () => {
  it("have defaults for everything", () => {
    expect(settings("")).toEqual(defaults);
    expect(settings("[size]")).toEqual(defaults);
  });

  it("are read from the file's names", () => {
    const toml = `
      [claude]
      path = "/opt/claude"
      model = "sonnet"
      tools = ["WebFetch"]
      pass_env = ["DATABASE_URL"]
      sandbox = true
      sandbox_write = ["~/.cargo/registry", "/var/cache/it"]
      [run]
      max_cycles = 3
      max_minutes = 0.5
      max_cost = 2.5
      keep = 7
      [limits]
      wait = 0
      pause = 5
      [git]
      base = "develop"
      push = "never"
      [delivery]
      update_checkout = true

      [forge]
      kind = "local"
      [worktree]
      copy = [".env", "config/local.json"]
      link = ["node_modules"]
      setup = "npm ci"
      setup_minutes = 1
      first_port = 3000
      ports = 0
      [size]
      max_files = 9
      max_lines = 400
      watch = false
      [watch]
      check_in_minutes = 0.5
      silent_check_ins = 4
      tool_minutes = 90
      plan_minutes = 2
      plan_cost = 0.25
      [gate]
      protected = ["LICENSE", "!docs/**"]
      check_minutes = 0.5
      inspect_minutes = 5
      mend_rounds = 0
      max_files = 10
      max_lines = 20
      max_deleted_files = 0
      max_deleted_percent = 12.5
      max_binary_kb = 0
      secrets = false
      secrets_allow = ["not-a-key", "test/**"]
      [auto]
      task_list_id = "Chores_2"
      tasks_root = "/srv/tasks"
      context_config_path = "agents/context.toml"
      workers = 8
      max_attempts = 1
      checks = ["npm test"]
      target = "develop"
      poll_seconds = 0.5
      repairs = 0
      repair_pause = 1
      repair_minutes = 0.5
      repair_cost = 0.25
      hang_seconds = 10
      [recover]
      resume = true
      [notices]
      bell = false
      desktop = true
      command = "ntfy publish saga"
      webhook_env = "SAGA_WEBHOOK"
      webhook = "http://127.0.0.1:8065/hooks/saga"
      on = ["blocked", "epic-done"]
    `;
    expect(settings(toml)).toEqual({
      claude: {
        path: "/opt/claude",
        model: "sonnet",
        tools: ["WebFetch"],
        passEnv: ["DATABASE_URL"],
        sandbox: true,
        sandboxWrite: ["~/.cargo/registry", "/var/cache/it"],
      },
      run: { maxCycles: 3, maxMinutes: 0.5, maxCost: 2.5, keep: 7 },
      limits: { wait: 0, pause: 5 },
      git: { base: "develop", push: "never" },
      forge: { kind: "local" },
      delivery: { kind: "story-pr", updateCheckout: true, archive: false },
      worktree: {
        copy: [".env", "config/local.json"],
        link: ["node_modules"],
        setup: "npm ci",
        setupMinutes: 1,
        firstPort: 3000,
        ports: 0,
      },
      size: { maxFiles: 9, maxLines: 400, watch: false },
      watch: {
        checkInMinutes: 0.5,
        silentCheckIns: 4,
        toolMinutes: 90,
        planMinutes: 2,
        planCost: 0.25,
      },
      gate: {
        protected: ["LICENSE", "!docs/**"],
        checkMinutes: 0.5,
        inspectMinutes: 5,
        mendRounds: 0,
        maxFiles: 10,
        maxLines: 20,
        maxDeletedFiles: 0,
        maxDeletedPercent: 12.5,
        maxBinaryKb: 0,
        secrets: false,
        secretsAllow: ["not-a-key", "test/**"],
      },
      auto: {
        taskListId: "Chores_2",
        tasksRoot: "/srv/tasks",
        contextConfigPath: "agents/context.toml",
        workers: 8,
        maxAttempts: 1,
        checks: ["npm test"],
        target: "develop",
        pollSeconds: 0.5,
        repairs: 0,
        repairPause: 1,
        repairMinutes: 0.5,
        repairCost: 0.25,
        hangSeconds: 10,
      },
      recover: { resume: true },
      notices: {
        bell: false,
        desktop: true,
        command: "ntfy publish saga",
        webhookEnv: "SAGA_WEBHOOK",
        webhook: "http://127.0.0.1:8065/hooks/saga",
        on: ["blocked", "epic-done"],
      },
    });
  });

  it.each([
    ["an unknown section", "[sizes]\nmax_files = 1"],
    ["an unknown key", "[size]\nmax_file = 1"],
    ["a key outside of its section", "max_files = 1"],
    ["text for a number", '[size]\nmax_files = "5"'],
    ["a fraction", "[size]\nmax_lines = 1.5"],
    ["a ceiling of nothing", "[size]\nmax_files = 0"],
    ["an empty path", '[claude]\npath = ""'],
    ["no model", '[claude]\nmodel = ""'],
    ["one tool where a list belongs", '[claude]\ntools = "WebFetch"'],
    ["a variable with its value", '[claude]\npass_env = ["TOKEN=x"]'],
    ["text for a yes or no", '[claude]\nsandbox = "on"'],
    ["a folder that nobody knows where to look for", '[claude]\nsandbox_write = ["cache"]'],
    ["no headless run at all", "[run]\nmax_cycles = 0"],
    ["no time to work", "[run]\nmax_minutes = 0"],
    ["a debt", "[run]\nmax_cost = -1"],
    ["a wait that ended before", "[limits]\nwait = -1"],
    ["what git would refuse as a branch", '[git]\nbase = "a..b"'],
    ["an unknown choice", '[git]\npush = "sometimes"'],
    ["an unknown forge", '[forge]\nkind = "gitlab"'],
    ["an absolute path to copy", '[worktree]\ncopy = ["/etc/passwd"]'],
    ["a path from home to copy", '[worktree]\ncopy = ["~/.ssh/id_rsa"]'],
    ["a path that climbs out", '[worktree]\nlink = ["a/../../b"]'],
    ["the whole project", '[worktree]\nlink = ["."]'],
    ["an empty path to link", '[worktree]\nlink = [""]'],
    ["a port of the system", "[worktree]\nfirst_port = 80"],
    ["a glob that climbs out", '[gate]\nprotected = ["../**"]'],
    ["a glob from the root of the machine", '[gate]\nprotected = ["/etc/**"]'],
    ["more than all of it", "[gate]\nmax_deleted_percent = 101"],
    ["fewer than no files", "[gate]\nmax_deleted_files = -1"],
    ["no change at all", "[gate]\nmax_files = 0"],
    ["an exception that says nothing", '[gate]\nsecrets_allow = [" "]'],
    ["a list that Claude Code would look for elsewhere", '[auto]\ntask_list_id = "a.b"'],
    ["lists that nobody knows where to look for", '[auto]\ntasks_root = "tasks"'],
    ["a context file outside the project", '[auto]\ncontext_config_path = "../context.toml"'],
    ["a pool without workers", "[auto]\nworkers = 0"],
    ["an empty check of the pool", '[auto]\nchecks = [" "]'],
    ["a target that is no branch", '[auto]\ntarget = "a..b"'],
    ["a pool that is hung before its next sign of life", "[auto]\nhang_seconds = 5"],
    ["an empty command", '[notices]\ncommand = ""'],
    ["a variable with its value for the webhook", '[notices]\nwebhook_env = "HOOK=x"'],
    ["a webhook that everyone on the way can read", '[notices]\nwebhook = "http://a.example/"'],
    ["a webhook of another kind", '[notices]\nwebhook = "file:///etc/passwd"'],
    [
      "a webhook that is a secret, in a file that is in git",
      '[notices]\nwebhook = "https://hooks.slack.com/services/T0/B0/x"',
    ],
    ["an unknown kind of notice", '[notices]\non = ["running"]'],
  ])("refuse %s", (_, toml) => {
    expect(configSchema.safeParse(parse(toml)).success).toBe(false);
  });
});

describe("the list of settings", () => {
  it("has every one of them with its key and default", () => {
    expect(
      SETTINGS.map(({ key, section, name, fallback }) => [key, section, name, fallback]),
    ).toEqual([
      ["claude.path", "claude", "path", undefined],
      ["claude.model", "claude", "model", "opus"],
      ["claude.tools", "claude", "tools", []],
      ["claude.pass_env", "claude", "pass_env", []],
      ["claude.sandbox", "claude", "sandbox", false],
      ["claude.sandbox_write", "claude", "sandbox_write", []],
      ["run.max_cycles", "run", "max_cycles", 10],
      ["run.max_minutes", "run", "max_minutes", 60],
      ["run.max_cost", "run", "max_cost", undefined],
      ["run.keep", "run", "keep", 50],
      ["limits.wait", "limits", "wait", undefined],
      ["limits.pause", "limits", "pause", 60],
      ["git.base", "git", "base", undefined],
      ["git.push", "git", "push", "auto"],
      ["forge.kind", "forge", "kind", "auto"],
      ["delivery.kind", "delivery", "kind", "story-pr"],
      ["delivery.update_checkout", "delivery", "update_checkout", false],
      ["delivery.archive", "delivery", "archive", false],
      ["worktree.copy", "worktree", "copy", []],
      ["worktree.link", "worktree", "link", []],
      ["worktree.setup", "worktree", "setup", undefined],
      ["worktree.setup_minutes", "worktree", "setup_minutes", 10],
      ["worktree.first_port", "worktree", "first_port", 42_000],
      ["worktree.ports", "worktree", "ports", 10],
      ["size.max_files", "size", "max_files", 5],
      ["size.max_lines", "size", "max_lines", 200],
      ["size.watch", "size", "watch", true],
      ["watch.check_in_minutes", "watch", "check_in_minutes", 3],
      ["watch.silent_check_ins", "watch", "silent_check_ins", 2],
      ["watch.tool_minutes", "watch", "tool_minutes", 30],
      ["watch.plan_minutes", "watch", "plan_minutes", 5],
      ["watch.plan_cost", "watch", "plan_cost", 1],
      ["gate.protected", "gate", "protected", defaults.gate.protected],
      ["gate.check_minutes", "gate", "check_minutes", 20],
      ["gate.inspect_minutes", "gate", "inspect_minutes", 15],
      ["gate.mend_rounds", "gate", "mend_rounds", 2],
      ["gate.max_files", "gate", "max_files", 100],
      ["gate.max_lines", "gate", "max_lines", 5000],
      ["gate.max_deleted_files", "gate", "max_deleted_files", 20],
      ["gate.max_deleted_percent", "gate", "max_deleted_percent", 30],
      ["gate.max_binary_kb", "gate", "max_binary_kb", 1024],
      ["gate.secrets", "gate", "secrets", true],
      ["gate.secrets_allow", "gate", "secrets_allow", []],
      ["auto.task_list_id", "auto", "task_list_id", undefined],
      ["auto.tasks_root", "auto", "tasks_root", undefined],
      ["auto.context_config_path", "auto", "context_config_path", ".claude/saga_task_context.toml"],
      ["auto.workers", "auto", "workers", 2],
      ["auto.max_attempts", "auto", "max_attempts", 3],
      ["auto.checks", "auto", "checks", []],
      ["auto.target", "auto", "target", undefined],
      ["auto.poll_seconds", "auto", "poll_seconds", 30],
      ["auto.repairs", "auto", "repairs", 3],
      ["auto.repair_pause", "auto", "repair_pause", 10],
      ["auto.repair_minutes", "auto", "repair_minutes", 5],
      ["auto.repair_cost", "auto", "repair_cost", 1],
      ["auto.hang_seconds", "auto", "hang_seconds", 60],
      ["recover.resume", "recover", "resume", false],
      ["notices.bell", "notices", "bell", true],
      ["notices.desktop", "notices", "desktop", false],
      ["notices.command", "notices", "command", undefined],
      ["notices.webhook_env", "notices", "webhook_env", undefined],
      ["notices.webhook", "notices", "webhook", undefined],
      ["notices.on", "notices", "on", defaults.notices.on],
    ]);
  });

  it("explains every one of them in a sentence", () => {
    for (const { about } of SETTINGS) expect(about).toMatch(/^[A-Z].*\.$/);
  });
});

describe("the file of a new project", () => {
  it("explains every setting and sets none", () => {
    expect(settings(commentedConfig())).toEqual(defaults);
    for (const { about, section } of SETTINGS) {
      expect(commentedConfig()).toContain(`# ${about}\n`);
      expect(commentedConfig()).toContain(`[${section}]\n`);
    }
  });

  it("shows defaults that mean the same when their # is taken away", () => {
    expect(settings(commentedConfig().replaceAll(/^# (?=\w+ = )/gm, ""))).toEqual(defaults);
  });

  it("ends with a line break", () => {
    expect(commentedConfig()).toMatch(/[^\n]\n$/);
  });
});
