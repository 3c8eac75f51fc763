import { parse } from "smol-toml";
import { describe, expect, it } from "vitest";
import { defaults } from "../../../test/support/default-settings.ts";
import { commentedConfig, configSchema, SETTINGS, settingsOf } from "./settings.ts";

const settings = (toml: string): unknown => settingsOf(configSchema.parse(parse(toml)));

/** A value other than the default for each setting with a rule of its own. */
const ACCEPTED: Readonly<Record<string, unknown>> = {
  "claude.path": "/opt/claude",
  "claude.model": "sonnet",
  "claude.tools": ["WebFetch"],
  "claude.pass_env": ["DATABASE_URL"],
  "claude.sandbox": true,
  "claude.sandbox_write": ["~/.cargo/registry", "/var/cache/it"],
  "claude.sandbox_network": ["packages.example.com", "*.example.org"],
  "run.max_cycles": 3,
  "run.max_minutes": 0.5,
  "run.max_cost": 2.5,
  "run.keep": 7,
  "limits.wait": 0,
  "limits.pause": 5,
  "git.base": "develop",
  "git.push": "never",
  "delivery.update_checkout": true,
  "forge.kind": "local",
  "worktree.copy": [".env", "config/local.json"],
  "worktree.link": ["node_modules"],
  "worktree.setup": "npm ci",
  "worktree.setup_minutes": 1,
  "worktree.first_port": 3000,
  "worktree.ports": 0,
  "size.max_files": 9,
  "size.max_lines": 400,
  "size.watch": false,
  "watch.check_in_minutes": 0.5,
  "watch.silent_check_ins": 4,
  "watch.tool_minutes": 90,
  "watch.plan_minutes": 2,
  "watch.plan_cost": 0.25,
  "gate.protected": ["LICENSE", "!docs/**"],
  "gate.check_minutes": 0.5,
  "gate.reuse_receipts": false,
  "gate.inspect_minutes": 5,
  "gate.fix_rounds": 0,
  "gate.max_files": 10,
  "gate.max_lines": 20,
  "gate.max_deleted_files": 0,
  "gate.max_deleted_percent": 12.5,
  "gate.max_binary_kb": 0,
  "gate.secrets": false,
  "gate.secrets_allow": ["not-a-key", "test/**"],
  "auto.task_list_id": "Chores_2",
  "auto.tasks_root": "/srv/tasks",
  "auto.context_config_path": "agents/context.toml",
  "auto.workers": 8,
  "auto.max_attempts": 1,
  "auto.checks": ["npm test"],
  "auto.target": "develop",
  "auto.poll_seconds": 0.5,
  "auto.oversee": true,
  "auto.repairs": 0,
  "auto.repair_pause": 1,
  "auto.repair_minutes": 0.5,
  "auto.repair_cost": 0.25,
  "auto.hang_seconds": 10,
  "queue.batch": 4,
  "fleet.name": "shop",
  "recover.resume": true,
  "notices.bell": false,
  "notices.desktop": true,
  "notices.command": "ntfy publish saga",
  "notices.webhook_env": "SAGA_WEBHOOK",
  "notices.webhook": "http://127.0.0.1:8065/hooks/saga",
  "notices.on": ["blocked", "epic-done"],
  "epic.overlap": "avoid",
};

describe("the settings", () => {
  it("of an empty section are those of a missing one", () => {
    expect(settings("[size]")).toEqual(settings(""));
  });

  it("are each explained in a sentence", () => {
    for (const { about, key } of SETTINGS) expect(about, key).toMatch(/^[A-Z].*\.$/);
  });

  it("are read from the file's names", () => {
    for (const [key, value] of Object.entries(ACCEPTED)) {
      const { section = "", name = "" } = SETTINGS.find((one) => one.key === key) ?? {};
      const camel = name.replaceAll(/_./g, (found) => found.slice(1).toUpperCase());
      const read = settingsOf(configSchema.parse({ [section]: { [name]: value } }));
      expect(read, key).toMatchObject({ [section]: { [camel]: value } });
    }
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
