// An overseer with daemons that only play their part, and repairs that the test decides.

import { spawn, type ChildProcess } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { findProblems } from "../../src/pool/list/find-problems.ts";
import { oversee, type Overseer, type OverseerEnd } from "../../src/pool/overseer/overseer.ts";
import type { RepairRequest, RepairResult } from "../../src/pool/overseer/repair-run.ts";
import { newFolder, type Project } from "./project.ts";
import { bundle } from "./programs.ts";

export const TASK = {
  id: "1",
  subject: "One",
  description: "",
  status: "pending",
  blocks: [],
  blockedBy: [],
};

export interface World extends Project {
  readonly list: string;
  readonly lines: string[];
  readonly requests: RepairRequest[];
  readonly starts: () => number;
  readonly daemons: ChildProcess[];
  readonly oversee: (ways: readonly string[], more?: Partial<Overseer>) => Promise<OverseerEnd>;
}

export function newWorld(repair: (world: World) => RepairResult = () => notRepaired): World {
  const project = newFolder();
  const list = join(project.path, "tasks");
  const context = join(project.path, "context.toml");
  mkdirSync(join(project.path, ".saga/auto"), { recursive: true });
  mkdirSync(list);
  const world: World = {
    ...project,
    list,
    lines: [],
    requests: [],
    daemons: [],
    starts: () => Number(readFileSync(join(project.path, "starts"), "utf8")),
    oversee: async (ways, more = {}) => {
      const daemon = await bundle("test/support/processes/fake-daemon.ts");
      return oversee({
        project: project.path,
        list,
        startDaemon() {
          const words = [daemon, project.path, list, ...ways];
          const child = spawn(process.execPath, words, { stdio: ["ignore", "pipe", "pipe"] });
          onTestFinished(() => void child.kill("SIGKILL"));
          world.daemons.push(child);
          return child;
        },
        limits: { repairs: 3, pauseMs: 1 },
        graceMs: 30_000,
        hungGraceMs: 200,
        settledMs: 60_000,
        findProblems: () => findProblems(list, context),
        repair: async (order) => {
          world.requests.push(order);
          return repair(world);
        },
        logLine: (sentence) => void world.lines.push(sentence),
        pass: () => undefined,
        now: Date.now,
        stop: new AbortController().signal,
        ...more,
        // Only the first daemon has a short limit: on a busy machine the next ones would be taken for hung while they start.
        get hangMs() {
          return world.daemons.length > 1 ? LONG_MS : (more.hangMs ?? LONG_MS);
        },
      });
    },
  };
  return world;
}

const notRepaired: RepairResult = {
  kind: "not-repaired",
  copy: "",
  why: "It is as broken as before.",
};
export const repaired: RepairResult = { kind: "repaired", copy: "" };

/** A busy machine takes more than a second to start a program. */
export const HANG_MS = 3_000;
const LONG_MS = 60_000;
