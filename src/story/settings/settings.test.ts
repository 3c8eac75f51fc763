import { parse } from "smol-toml";
import { describe, expect, it } from "vitest";
import { defaults } from "../../../test/support/default-settings.ts";
import { commentedConfig, configSchema, SETTINGS, settingsOf } from "./settings.ts";

const settings = (toml: string): unknown => settingsOf(configSchema.parse(parse(toml)));

describe("the settings", () => {
  it("of an empty section are those of a missing one", () => {
    expect(settings("[size]")).toEqual(settings(""));
  });

  it("are each explained in a sentence", () => {
    for (const { about, key } of SETTINGS) expect(about, key).toMatch(/^[A-Z].*\.$/);
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
      sandbox_network = ["packages.example.com", "*.example.org"]
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
      reuse_receipts = false
      inspect_minutes = 5
      fix_rounds = 0
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
      oversee = true
      repairs = 0
      repair_pause = 1
      repair_minutes = 0.5
      repair_cost = 0.25
      hang_seconds = 10
      [queue]
      batch = 4
      [fleet]
      name = "shop"

      [recover]
      resume = true
      [notices]
      bell = false
      desktop = true
      command = "ntfy publish saga"
      webhook_env = "SAGA_WEBHOOK"
      webhook = "http://127.0.0.1:8065/hooks/saga"
      on = ["blocked", "epic-done"]

      [epic]
      overlap = "avoid"
    `;
    expect(settings(toml)).toEqual({
      claude: {
        path: "/opt/claude",
        model: "sonnet",
        tools: ["WebFetch"],
        passEnv: ["DATABASE_URL"],
        sandbox: true,
        sandboxWrite: ["~/.cargo/registry", "/var/cache/it"],
        sandboxNetwork: ["packages.example.com", "*.example.org"],
      },
      plan: { checks: [] },
      run: { maxCycles: 3, maxMinutes: 0.5, maxCost: 2.5, keep: 7 },
      budget: { day: 0, epic: 0 },
      limits: { wait: 0, pause: 5 },
      git: { base: "develop", push: "never" },
      forge: { kind: "local" },
      delivery: { kind: "story-pr", updateCheckout: true, history: "tasks", archive: false },
      epic: { overlap: "avoid" },
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
        reuseReceipts: false,
        inspectMinutes: 5,
        fixRounds: 0,
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
        oversee: true,
        repairs: 0,
        repairPause: 1,
        repairMinutes: 0.5,
        repairCost: 0.25,
        hangSeconds: 10,
      },
      queue: { batch: 4, parallel: 1 },
      fleet: { name: "shop" },
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
    ["a relative folder", '[claude]\nsandbox_write = ["cache"]'],
    ["an address for a domain", '[claude]\nsandbox_network = ["https://example.com"]'],
    ["no headless run at all", "[run]\nmax_cycles = 0"],
    ["no time to work", "[run]\nmax_minutes = 0"],
    ["a negative cost", "[run]\nmax_cost = -1"],
    ["a negative wait", "[limits]\nwait = -1"],
    ["what git would refuse as a branch", '[git]\nbase = "a..b"'],
    ["an unknown choice", '[git]\npush = "sometimes"'],
    ["an unknown forge", '[forge]\nkind = "gitlab"'],
    ["an absolute path to copy", '[worktree]\ncopy = ["/etc/passwd"]'],
    ["a path from home to copy", '[worktree]\ncopy = ["~/.ssh/id_rsa"]'],
    ["a path that leads out", '[worktree]\nlink = ["a/../../b"]'],
    ["the whole project", '[worktree]\nlink = ["."]'],
    ["an empty path to link", '[worktree]\nlink = [""]'],
    ["a port of the system", "[worktree]\nfirst_port = 80"],
    ["a glob that leads out", '[gate]\nprotected = ["../**"]'],
    ["a glob from the root of the machine", '[gate]\nprotected = ["/etc/**"]'],
    ["more than all of it", "[gate]\nmax_deleted_percent = 101"],
    ["fewer than no files", "[gate]\nmax_deleted_files = -1"],
    ["no change at all", "[gate]\nmax_files = 0"],
    ["an exception that says nothing", '[gate]\nsecrets_allow = [" "]'],
    ["a list id that Claude Code would change", '[auto]\ntask_list_id = "a.b"'],
    ["a relative folder of lists", '[auto]\ntasks_root = "tasks"'],
    ["a context file outside the project", '[auto]\ncontext_config_path = "../context.toml"'],
    ["a pool without workers", "[auto]\nworkers = 0"],
    ["an empty check of the pool", '[auto]\nchecks = [" "]'],
    ["a target that is not a branch name", '[auto]\ntarget = "a..b"'],
    ["a hang limit below the heartbeat", "[auto]\nhang_seconds = 5"],
    ["an empty command", '[notices]\ncommand = ""'],
    ["a variable with its value for the webhook", '[notices]\nwebhook_env = "HOOK=x"'],
    ["a webhook without encryption", '[notices]\nwebhook = "http://a.example/"'],
    ["a webhook of another kind", '[notices]\nwebhook = "file:///etc/passwd"'],
    [
      "a webhook that is a secret, in a file that is in git",
      '[notices]\nwebhook = "https://hooks.slack.com/services/T0/B0/x"',
    ],
    ["an unknown kind of notification", '[notices]\non = ["running"]'],
  ])("refuse %s", (_, toml) => {
    expect(configSchema.safeParse(parse(toml)).success).toBe(false);
  });
});

describe("the file of a new project", () => {
  it("explains every setting and sets none", () => {
    expect(settings(commentedConfig())).toEqual(defaults);
    for (const { about, section } of SETTINGS) {
      expect(commentedConfig()).toContain(`\n\n# ${about}`);
      expect(commentedConfig()).toContain(`[${section}]\n`);
    }
  });

  it("shows defaults that are valid without their #", () => {
    const uncommented = commentedConfig().replaceAll(/^# (?=\w+ = )/gm, "");
    const found = configSchema.parse(parse(uncommented)) as Record<string, Record<string, unknown>>;
    for (const { section, name, key, fallback } of SETTINGS) {
      const value = found[section]?.[name];
      expect(value, key).toBeDefined();
      expect(value, key).toEqual(fallback ?? value);
    }
    expect(commentedConfig()).not.toContain("is not set\n");
  });

  it("ends with a line break", () => {
    expect(commentedConfig()).toMatch(/[^\n]\n$/);
  });
});
