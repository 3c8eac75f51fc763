// Every module that decides has a test of its own name, on plain values. The modules without one are listed here, with
// the reason. The list only shrinks: give a new module a test instead, and take decisions out of modules that act.

import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { root } from "./support/programs.ts";

const WITHOUT_TEST: Readonly<Record<string, readonly string[]>> = {
  "Names, words, tables and schemas: their types and the compiler check them.": [
    "agent/tool-names.ts",
    "claude/supported.ts",
    "story/prompts/stopping.ts",
    "story/receipts/rules.ts",
    "story/settings/defaults.ts",
    "story/settings/sections.ts",
    "tasks/problem.ts",
  ],
  "Tested under the name of what they belong to.": [
    "agent/scope/sandboxed-files.ts",
    "agent/shell/parse.ts",
    "agent/tool-call.ts",
    "dashboard/web/palette/items.ts",
    "store/project/document.ts",
    "store/views/attention.ts",
  ],
  "Wiring: they pass values on.": [
    "cli/deliver/landing-kinds.ts",
    "pool/result/gate.ts",
    "rehearsal/pool-agent.ts",
  ],
  "Act on files, git, processes or the page: tested end to end, or through what calls them.": [
    "agent/place/workplace.ts",
    "deliver/epic/land-epic.ts",
    "landing/read-lanes.ts",
    "landing/verify-batch.ts",
    "landing/wait.ts",
    "pool/result/land-task.ts",
    "repo/delivery/bring-onto.ts",
    "agent/hooks.ts",
    "agent/inspectors/propose-split.ts",
    "agent/inspectors/verdict-run.ts",
    "agent/scope/resolve.ts",
    "agent/scope/roots.ts",
    "agent/scope/rules.ts",
    "agent/shell/git.ts",
    "claude/probe.ts",
    "claude/tasks/delete.ts",
    "claude/tasks/lock.ts",
    "cli/clean/known-sessions.ts",
    "cli/clean/while-free.ts",
    "cli/commands/admin/demo.ts",
    "cli/commands/run/auto-worker.ts",
    "cli/commands/run/sessions.ts",
    "cli/deliver/epic-checkout.ts",
    "cli/doctor/checks.ts",
    "cli/doctor/findings.ts",
    "cli/edit/archive-move.ts",
    "cli/edit/open-editor.ts",
    "cli/output/merge-status.ts",
    "cli/pool/oversee.ts",
    "cli/pool/pool-daemon.ts",
    "cli/pool/pool-status.ts",
    "cli/program/all-commands.ts",
    "cli/program/command.ts",
    "cli/program/completion.ts",
    "cli/program/io.ts",
    "cli/program/light-commands.ts",
    "cli/program/run-command.ts",
    "cli/rehearse/epic.ts",
    "cli/rehearse/pool.ts",
    "cli/start/apply-plan.ts",
    "cli/start/epic-session.ts",
    "cli/start/run-worker.ts",
    "cli/start/start-session.ts",
    "cli/start/then-run.ts",
    "cli/watch/session-list.ts",
    "cli/watch/stop-story.ts",
    "dashboard/dashboard.ts",
    "dashboard/project/cache.ts",
    "dashboard/project/merged-epics.ts",
    "dashboard/project/publish.ts",
    "dashboard/project/reader.ts",
    "dashboard/project/receipts-cache.ts",
    "dashboard/project/runs-cache.ts",
    "dashboard/project/watch-project.ts",
    "dashboard/project/watch-tree.ts",
    "dashboard/views/sessions.ts",
    "dashboard/views/story-range.ts",
    "dashboard/views/story-readiness.ts",
    "dashboard/web/actions/use-submit.ts",
    "dashboard/web/keys/use-keys.ts",
    "dashboard/web/live/hooks.ts",
    "dashboard/web/live/live.ts",
    "dashboard/web/live/server.ts",
    "dashboard/web/live/waiting-count.ts",
    "dashboard/web/shell/page-title.ts",
    "deliver/after-merge.ts",
    "deliver/merge.ts",
    "deliver/story-work.ts",
    "gate/push-branch.ts",
    "gate/readiness.ts",
    "hook/hook.ts",
    "hook/start-program.ts",
    "hook/story-tasks.ts",
    "machine/processes/marked-process.ts",
    "machine/processes/run-contained.ts",
    "machine/programs/guarded-files.ts",
    "machine/programs/removed-settings.ts",
    "machine/programs/trusted-copy.ts",
    "pool/daemon/daemon.ts",
    "pool/list/add-task.ts",
    "pool/list/read-list.ts",
    "pool/overseer/daemon-child.ts",
    "pool/overseer/repair-record.ts",
    "pool/overseer/repair-run.ts",
    "pool/result/accept-as-is.ts",
    "pool/result/finished-work.ts",
    "pool/result/merge-task.ts",
    "pool/result/notify.ts",
    "pool/task/judge-finish.ts",
    "pool/task/prepare-worktree.ts",
    "pool/task/run-agent.ts",
    "pool/task/run-task.ts",
    "pool/worker/pool-worker.ts",
    "pool/worker/take-task.ts",
    "pool/worker/watch-daemon.ts",
    "recover/withdraw.ts",
    "rehearsal/demo-plan.ts",
    "rehearsal/demo.ts",
    "repo/code-tree.ts",
    "repo/commits/amend-tree.ts",
    "repo/commits/commit-archive.ts",
    "repo/committer.ts",
    "repo/compose/replay.ts",
    "repo/delivery/merged-epics.ts",
    "repo/diff/blobs.ts",
    "repo/diff/commit-list.ts",
    "repo/diff/diff-list.ts",
    "repo/records/conflict-record.ts",
    "repo/records/delivery-record.ts",
    "repo/reflog.ts",
    "repo/rescue/remove-story.ts",
    "repo/rescue/snapshot-story.ts",
    "repo/snapshots/hidden-files.ts",
    "repo/snapshots/snapshot-commit.ts",
    "repo/stage-files.ts",
    "repo/worktree/bring-story.ts",
    "repo/worktree/forget.ts",
    "repo/worktree/list-worktrees.ts",
    "repo/worktree/place.ts",
    "repo/worktree/situation.ts",
    "repo/worktree/uncommitted-edit.ts",
    "repo/write-commit.ts",
    "store/hook/hook-story.ts",
    "store/project/find.ts",
    "store/project/read.ts",
    "store/runs/person-edit.ts",
    "store/runs/receipt-seal.ts",
    "store/views/checkout-copy.ts",
    "store/views/overview.ts",
    "store/views/survey.ts",
    "store/views/validate.ts",
    "store/watch-epic.ts",
    "store/write/archive.ts",
    "store/write/definition-file.ts",
    "store/write/edit-config.ts",
    "store/write/journal.ts",
    "store/write/remove.ts",
    "store/write/stage.ts",
    "store/write/story-folder.ts",
    "tasks/claims/claimer-file.ts",
    "worker/agent/agent-hooks.ts",
    "worker/agent/run-agent.ts",
    "worker/agent/watch-size.ts",
    "worker/gate-facts.ts",
    "worker/split/split-by-hand.ts",
    "worker/split/split-task.ts",
    "worker/steps/gate.ts",
    "worker/story-base.ts",
    "worker/worker.ts",
  ],
};

/** Lower it with the list, and never raise it. */
const MOST = 165;

const listed = Object.values(WITHOUT_TEST).flat();
const source = join(root, "src");
const hasTest = (module: string): boolean =>
  existsSync(join(source, module.replace(/\.ts$/, ".test.ts")));

it("gives every module a test of its own name, except those listed", () => {
  const names = readdirSync(source, { recursive: true, encoding: "utf8" });
  const modules = names.filter((name) => name.endsWith(".ts") && !/\.(?:test|d)\.ts$/.test(name));
  const isListed = new Set(listed);
  const missing = modules.filter((name) => !isListed.has(name) && !hasTest(name) && runs(name));
  expect(missing).toEqual([]);
});

it("lists no module that has a test, is gone, or is listed twice", () => {
  const isThere = (module: string): boolean => existsSync(join(source, module));
  expect(listed.filter((module) => hasTest(module) || !isThere(module))).toEqual([]);
  expect(new Set(listed).size).toBe(listed.length);
});

it("lists no more modules than before", () => {
  expect(listed.length).toBeLessThanOrEqual(MOST);
});

/** Modules of types have nothing to test. */
const runs = (module: string): boolean =>
  /^export (?:async )?(?:function|const|class)/m.test(readFileSync(join(source, module), "utf8"));
