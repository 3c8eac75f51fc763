// Every module that decides has a test of its own name, on plain values. The modules without one are listed here, with
// the reason. The list only shrinks: give a new module a test instead, and take decisions out of modules that act.

import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { root } from "./support/programs.ts";

const WITHOUT_TEST: Readonly<Record<string, readonly string[]>> = {
  "Names, words, tables and schemas: their types and the compiler check them.": [
    "agent/tool-names.ts",
    "cli/deliver/landing-kinds.ts",
    "cli/program/all-commands.ts",
    "cli/program/light-commands.ts",
    "rehearsal/demo-plan.ts",
    "story/prompts/stopping.ts",
    "story/receipts/rules.ts",
    "story/settings/defaults.ts",
    "tasks/problem.ts",
  ],
  "Collect facts for a decision that has its own test, and pass on what it says.": [
    "agent/inspectors/verdict-run.ts",
    "agent/place/workplace.ts",
    "cli/output/merge-status.ts",
    "dashboard/project/cache.ts",
    "dashboard/project/merged-epics.ts",
    "dashboard/project/receipts-cache.ts",
    "dashboard/views/story-readiness.ts",
    "hook/story-tasks.ts",
    "landing/read-lanes.ts",
    "pool/result/accept-as-is.ts",
    "pool/result/gate.ts",
    "repo/delivery/merged-epics.ts",
    "store/views/attention.ts",
    "store/views/checkout-copy.ts",
    "store/views/overview-facts.ts",
    "store/views/validate.ts",
    "worker/agent/run-agent.ts",
    "worker/gate-facts.ts",
    "worker/steps/gate.ts",
  ],
  "Change worktrees, branches and snapshots: tested on real repositories through what calls them.":
    [
      "deliver/after-merge.ts",
      "pool/result/merge-task.ts",
      "pool/task/prepare-worktree.ts",
      "recover/withdraw.ts",
      "worker/split/split-by-hand.ts",
      "worker/split/split-task.ts",
    ],
  "Start, watch and end processes: tested with real ones, end to end.": [
    "cli/clean/with-lease.ts",
    "cli/commands/admin/demo.ts",
    "cli/commands/run/auto-worker.ts",
    "cli/commands/run/sessions.ts",
    "cli/program/command.ts",
    "cli/start/epic-session.ts",
    "cli/start/start-session.ts",
    "cli/start/then-run.ts",
    "cli/watch/session-list.ts",
    "cli/watch/stop-story.ts",
    "dashboard/project/watch-project.ts",
    "dashboard/project/watch-tree.ts",
    "hook/hook.ts",
    "hook/start-program.ts",
    "machine/processes/marked-process.ts",
    "machine/processes/run-contained.ts",
    "machine/programs/trusted-copy.ts",
    "pool/daemon/daemon.ts",
    "pool/task/run-task.ts",
    "pool/worker/pool-worker.ts",
    "pool/worker/watch-daemon.ts",
    "rehearsal/demo.ts",
    "store/watch-epic.ts",
  ],
  "Belong to the page in a browser: tested in one, in test/browser.": [
    "dashboard/web/actions/use-submit.ts",
    "dashboard/web/keys/use-keys.ts",
    "dashboard/web/live/hooks.ts",
    "dashboard/web/live/live.ts",
    "dashboard/web/live/server.ts",
  ],
};

/** Lower it with the list, and never raise it. */
const MOST = 63;

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
