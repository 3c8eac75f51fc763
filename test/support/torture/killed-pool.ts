// A pool whose processes are killed at random: which one, with which signal, and when, all from one seed.

import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { processesWith } from "../../../src/machine/processes/process-tree.ts";
import { finish, newPoolStage, worker, write, type Pool, type PoolStage } from "../pool-stage.ts";
import type { Chance } from "../seeded.ts";

export interface PoolPlan {
  readonly tasks: number;
  readonly workers: number;
  readonly kills: number;
}

export interface KilledPool {
  readonly stage: PoolStage;
  readonly ids: readonly string[];
  /** Needs no change: it is completed without a commit. */
  readonly unchanged: string;
  /** The kills, one line each. */
  readonly log: readonly string[];
  /** Kills a process as soon as there is one; resolves when the signal is sent. */
  readonly kill: () => Promise<void>;
  /** Starts a pool when there is none. */
  readonly keepRunning: () => void;
  /** Kills no more, continues paused processes, and stops the last pool; resolves when it has ended. */
  readonly calm: () => Promise<void>;
  readonly output: () => string;
}

const CONFIG = [
  '[auto]\ntask_list_id = "chores"\npoll_seconds = 1\nmax_attempts = 1000',
  "[delivery]\nupdate_checkout = true\n",
].join("\n");

const TARGETS = ["worker", "worker", "agent", "agent", "git", "git", "daemon", "tmux"] as const;
type Target = (typeof TARGETS)[number];
const SIGNALS = ["SIGKILL", "SIGKILL", "SIGTERM", "SIGSTOP"] as const;

export async function newKilledPool(plan: PoolPlan, chance: Chance): Promise<KilledPool> {
  const ids = Array.from({ length: plan.tasks }, (_, at) => String(at + 1));
  const unchanged = String(plan.tasks);
  const steps = ids.map((id) => [
    id,
    id === unchanged
      ? [finish("no_changes", "It is there.")]
      : [write(`out/${id}.txt`, `The work of ${id}.\n`), finish()],
  ]);
  const agent = worker(Object.fromEntries(steps) as Parameters<typeof worker>[0]);
  const stage = await newPoolStage({ config: CONFIG, agent });
  for (const id of ids) {
    const check = id === unchanged ? "test -e README.md" : `test -e out/${id}.txt`;
    // Some wait for another one.
    const blockedBy = Number(id) > 2 && chance.below(4) === 0 ? [String(Number(id) - 2)] : [];
    stage.addTask(id, { blockedBy, metadata: { checks: [check] } });
  }
  const bullets = armGit(stage);
  const log: string[] = [];
  const paused = new Set<Promise<void>>();
  const pools: Pool[] = [];
  let isRunning = false;

  function keepRunning(): void {
    if (isRunning) return;
    isRunning = true;
    const pool = stage.auto("--workers", String(plan.workers));
    pools.push(pool);
    void pool.ended.then(() => (isRunning = false));
  }

  async function kill(): Promise<void> {
    await wait(chance.below(700));
    const first = chance.below(TARGETS.length);
    const signal = SIGNALS[chance.below(SIGNALS.length)] ?? "SIGKILL";
    const [nth, pauseMs] = [chance.below(97), 50 + chance.below(1500)];
    for (let at = first; ; at++) {
      const target = TARGETS[at % TARGETS.length] ?? "worker";
      const done = hit(target, { signal, nth, pauseMs });
      if (done !== undefined) return void log.push(`${log.length + 1}. ${target}: ${done}`);
      await wait(20);
    }
  }

  function hit(
    target: Target,
    { signal, nth, pauseMs }: { signal: NodeJS.Signals; nth: number; pauseMs: number },
  ): string | undefined {
    if (target === "git") return bullets.fire(nth % 2 === 0 ? "before" : "after");
    const found = processesOf(stage, target);
    const pid = found[nth % Math.max(1, found.length)];
    if (pid === undefined || !send(pid, signal)) return undefined;
    if (signal === "SIGSTOP") {
      const goesOn = wait(pauseMs).then(() => void send(pid, "SIGCONT"));
      paused.add(goesOn.finally(() => paused.delete(goesOn)));
    }
    return `${signal} to ${pid}${signal === "SIGSTOP" ? ` for ${pauseMs} ms` : ""}`;
  }

  return {
    stage,
    ids,
    unchanged,
    log,
    kill,
    keepRunning,
    async calm() {
      bullets.remove();
      await Promise.all(paused);
      // `saga auto stop` does not see one that has only just started.
      for (const { child } of pools) child.kill("SIGTERM");
      await Promise.all(pools.map(({ ended }) => ended));
    },
    output: () => pools.map((pool) => pool.output()).join("\n--- another pool\n"),
  };
}

/** A `git` that is killed before or after its work, once for each file in the folder of kills. */
function armGit({ home, env }: PoolStage): {
  fire: (when: "before" | "after") => string;
  remove: () => void;
} {
  const bin = join(home, "bin");
  const git = execFileSync("which", ["git"], { encoding: "utf8" }).trim();
  const bullet = (when: string): string => join(home, `bullet-${when}`);
  mkdirSync(bin);
  writeFileSync(
    join(bin, "git"),
    `#!/bin/sh
# Saga's own git, and not that of the test.
case "$*" in *core.fsmonitor=false*)
  if [ -e ${bullet("before")} ] && rm ${bullet("before")} 2>/dev/null; then kill -KILL $$; fi
  if [ -e ${bullet("after")} ] && rm ${bullet("after")} 2>/dev/null; then ${git} "$@"; kill -KILL $$; fi
esac
exec ${git} "$@"
`,
  );
  chmodSync(join(bin, "git"), 0o755);
  env["PATH"] = `${bin}:${env["PATH"]}`;
  return {
    fire(when) {
      writeFileSync(bullet(when), "");
      return `the next one, ${when} its work`;
    },
    remove: () => {
      for (const when of ["before", "after"]) execFileSync("rm", ["-f", bullet(when)]);
    },
  };
}

function processesOf({ home }: PoolStage, target: Target): number[] {
  return processesWith("HOME", home)
    .map(({ pid }) => pid)
    .filter((pid) => kindOf(pid) === target);
}

function kindOf(pid: number): Target | undefined {
  let words: string[];
  try {
    words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  } catch {
    return undefined;
  }
  if (words[0]?.startsWith("tmux")) return "tmux";
  if (words.includes("auto-worker")) return "worker";
  if (words.includes("auto")) return "daemon";
  return words.some((word) => word.endsWith("/claude") || word === "claude") ? "agent" : undefined;
}

function send(pid: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch {
    return false;
  }
}
