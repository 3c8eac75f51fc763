// The steps of a schedule that are not commands: kills, a full disk, folders that cannot be written, clocks that jump.

import { execFileSync } from "node:child_process";
import { existsSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { canMount, fill } from "../disk.ts";
import type { Act } from "./commands.ts";
import { filesBelow } from "./facts.ts";
import type { Step } from "./plan.ts";
import { processesOf, type SagaProcess, type World } from "./world.ts";

/** Waits for a process that is about to start. */
const VICTIM_MS = 4_000;

const killing =
  (role: SagaProcess["role"]): Act =>
  async (world, { pick }) => {
    const look = (): SagaProcess[] => processesOf(world).filter((one) => one.role === role);
    const deadline = performance.now() + VICTIM_MS;
    let found = look();
    while (found.length === 0 && performance.now() < deadline && processesOf(world).length > 0) {
      await wait(20);
      found = look();
    }
    const victim = found[pick % Math.max(1, found.length)];
    if (victim === undefined || !kill(victim.pid)) return undefined;
    return `${victim.pid}: ${victim.line.replace(/^.*main\.cjs /, "").slice(0, 60)}`;
  };

function kill(pid: number): boolean {
  try {
    process.kill(pid, "SIGKILL");
    return true;
  } catch {
    // It has already ended.
    return false;
  }
}

const killTmux: Act = async ({ stage }) => {
  const ask = ["display-message", "-p", "#{pid}"];
  try {
    const pid = execFileSync("tmux", ask, { env: stage.env, stdio: ["ignore", "pipe", "ignore"] });
    return kill(Number(pid.toString())) ? `server ${pid.toString().trim()}` : undefined;
  } catch {
    return undefined;
  }
};

/** Everything at once, agents and sessions too. */
const cutPower: Act = async (world, step) => {
  const all = processesOf(world);
  const killed = all.filter(({ pid }) => kill(pid));
  await killTmux(world, step);
  // Processes that were starting meanwhile.
  for (const { pid } of processesOf(world)) kill(pid);
  return killed.length === 0 ? undefined : `${killed.length} processes`;
};

const killDashboard: Act = async ({ dashboard }) =>
  dashboard !== undefined && kill(dashboard.pid) ? String(dashboard.pid) : undefined;

/** For this many steps. */
const lasting = (world: World, { amount }: Step, heal: () => void): void => {
  world.trouble.healAfter = 1 + (amount % 3);
  world.trouble.heal = () => {
    world.trouble.heal = undefined;
    heal();
  };
};

const fillDisk: Act = async (world, step) => {
  const { path } = world.stage;
  if (!canMount || world.trouble.heal !== undefined) return undefined;
  const leftKb = [0, 4, 16, 64][step.pick % 4] ?? 0;
  lasting(world, step, () => rmSync(join(path, "filler"), { force: true }));
  try {
    fill(path, leftKb);
  } catch {
    // Another process was faster: the disk is full.
  }
  return `${leftKb} kB are left`;
};

const FOLDERS = [".saga/runs", ".saga/stories", ".saga/leases", ".saga/worktrees", ".saga", ".git"];

const makeReadOnly: Act = async (world, step) => {
  const name = FOLDERS[step.pick % FOLDERS.length] ?? "";
  const folder = join(world.stage.path, name);
  if (!canMount || world.trouble.heal !== undefined || !existsSync(folder)) return undefined;
  const mount = (...words: string[]): void => void execFileSync("mount", [...words, folder]);
  mount("--bind", folder);
  mount("-o", "remount,bind,ro");
  lasting(world, step, () => void execFileSync("umount", ["--lazy", folder]));
  return name;
};

const HOUR_MS = 3600_000;
const JUMPS_MS = [-24 * HOUR_MS, -2 * HOUR_MS, -60_000, 60_000, 2 * HOUR_MS, 24 * HOUR_MS, 0];

/** Every process sees it at once, as when a person sets the clock. */
const moveClock: Act = async (world, { pick }) => {
  const jump = JUMPS_MS[pick % JUMPS_MS.length] ?? 0;
  setClock(world, jump);
  return `${jump / 60_000} minutes from the real one`;
};

export function setClock({ stage }: World, offsetMs: number): void {
  const file = join(stage.home, "clock-offset");
  writeFileSync(`${file}.new`, String(offsetMs));
  renameSync(`${file}.new`, file);
}

/** As after a copy, or a clock that was wrong for a while. */
const moveTimes: Act = async ({ stage }, { pick, amount }) => {
  const by = JUMPS_MS[amount % JUMPS_MS.length] ?? 0;
  const folders = ["runs", "leases", "auto", "stories"];
  const folder = join(stage.path, ".saga", folders[pick % folders.length] ?? "");
  let moved = 0;
  for (const file of filesBelow(folder)) {
    try {
      const at = (statSync(file).mtimeMs + by) / 1000;
      utimesSync(file, at, at);
      moved++;
    } catch {
      // It is gone, or cannot be written now.
    }
  }
  return moved === 0 ? undefined : `${moved} files by ${by / 60_000} minutes`;
};

export const TROUBLE = {
  "kill a worker": killing("worker"),
  "kill an agent": killing("agent"),
  "kill the tmux server": killTmux,
  "kill the dashboard": killDashboard,
  "cut the power": cutPower,
  "kill the pool's daemon": killing("auto"),
  "kill a pool worker": killing("auto-worker"),
  "kill the epic's run": killing("epic"),
  "fill the disk": fillDisk,
  "make a folder read-only": makeReadOnly,
  "move the clock": moveClock,
  "move the times of files": moveTimes,
} satisfies Partial<Record<Step["kind"], Act>>;
