import { describe, expect, it } from "vitest";
import { defaults } from "../../test/support/default-settings.ts";
import { SETTINGS } from "./settings.ts";

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
      ["run.max_cost", "run", "max_cost", 25],
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
