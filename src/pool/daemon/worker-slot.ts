// A slot for one worker of a daemon: its process, its current task, and how often workers died in it without a task.

import { rmSync } from "node:fs";
import { join } from "node:path";
import { livenessOf, thisProcess } from "../../machine/processes/process-id.ts";
import { endProcesses, processTree } from "../../machine/processes/process-tree.ts";
import {
  readRequest,
  readWorker,
  workerName,
  writeRequest,
  type RequestResult,
  type WorkerFile,
} from "../../tasks/daemon-files.ts";
import type { Lease } from "../../store/ownership/ownership.ts";
import type { WorkerView } from "./plan.ts";

export interface SlotContext {
  /** Starts a worker in its own session. */
  readonly start: (slot: number) => Promise<StartedWorker>;
  /** Monotonic: changes of the system's clock do not affect it. */
  readonly uptimeMs: () => number;
}

export interface StartedWorker {
  readonly session: string;
  /** Whether its session exists. */
  readonly isThere: () => Promise<boolean>;
  /** The last lines that it printed. */
  readonly lastWords: () => string;
}

export interface Slot {
  readonly name: string;
  readonly lease: Lease;
  readonly view: () => WorkerView;
  readonly file: () => WorkerFile | undefined;
  /** Checks the worker's file and process. */
  readonly check: () => Promise<SlotReport>;
  readonly start: () => Promise<void>;
  readonly give: (taskId: string, otherLabels: readonly string[]) => void;
  readonly dismiss: () => void;
  /** Sends SIGTERM; when called again after the grace period, kills. */
  readonly stop: () => void;
}

export interface SlotReport {
  readonly took?: { readonly id: string; readonly subject: string } | undefined;
  readonly result?: RequestResult | undefined;
  /** The worker ended without being told to. */
  readonly died?: WorkerDeath | undefined;
}

export interface WorkerDeath {
  /** In a row without a task. A death with a task counts for the task instead: that may have caused it. */
  readonly times: number;
  /** Its last output, which may say why. */
  readonly lastWords: string;
}

/** If a worker has not written its file by then, its session is checked. */
const SILENT_MS = 2_000;
const FIRST_PAUSE_MS = 1_000;
/** An agent needs up to five seconds to end, and then a snapshot is taken. */
const GRACE_MS = 30_000;

export function newSlot(folder: string, number: number, lease: Lease, context: SlotContext): Slot {
  const name = workerName(number);
  let started: (StartedWorker & { readonly atMs: number }) | undefined;
  let file: WorkerFile | undefined;
  let requestNumber = readRequest(folder, name)?.number ?? 0;
  let given: string | undefined;
  let isReported = false;
  let isDismissed = false;
  let deaths = 0;
  let notBeforeMs = -Infinity;
  let stoppedAtMs: number | undefined;

  const view = (): WorkerView => {
    const state = stateOf();
    return { name, state, given };
  };
  const stateOf = (): WorkerView["state"] => {
    if (started === undefined) return context.uptimeMs() < notBeforeMs ? "resting" : "gone";
    if (file === undefined || file.state === "starting") return "starting";
    return file.state === "idle" ? "idle" : "busy";
  };

  return {
    name,
    lease,
    view,
    file: () => file,
    async start() {
      rmSync(join(folder, `${name}.json`), { force: true });
      file = undefined;
      started = { ...(await context.start(number)), atMs: context.uptimeMs() };
    },
    give(taskId, otherLabels) {
      given = taskId;
      isReported = false;
      writeRequest(folder, name, {
        number: ++requestNumber,
        taskId,
        otherLabels: [...otherLabels],
      });
    },
    dismiss() {
      if (isDismissed) return;
      isDismissed = true;
      writeRequest(folder, name, { number: ++requestNumber, end: true });
    },
    stop() {
      isDismissed = true;
      const worker = file?.process;
      if (worker === undefined || livenessOf(worker) !== "alive") return;
      stoppedAtMs ??= context.uptimeMs();
      if (context.uptimeMs() - stoppedAtMs < GRACE_MS) signal(worker.pid);
      else void endProcesses(processTree(worker), { graceMs: 1_000 });
    },
    async check() {
      if (started === undefined) return {};
      file = readWorker(folder, name) ?? file;
      const report = readReport();
      const isGone = file
        ? livenessOf(file.process) === "dead"
        : context.uptimeMs() - started.atMs > SILENT_MS && !(await started.isThere());
      return isGone ? { ...report, died: died() } : report;
    },
  };

  function readReport(): SlotReport {
    const result = file?.result;
    const isAnswer = result !== undefined && result.number === requestNumber && given !== undefined;
    // The task may have ended before its start was noticed.
    const hadTask = isAnswer && result.kind !== "not-taken";
    const took = !isReported && given !== undefined && (file?.task === given || hadTask);
    const id = given ?? "";
    if (took) isReported = true;
    if (isAnswer) {
      given = undefined;
      deaths = 0;
    }
    return {
      took: took ? { id, subject: file?.subject ?? result?.subject ?? "" } : undefined,
      result: isAnswer ? result : undefined,
    };
  }

  function died(): SlotReport["died"] {
    const lastWords = started?.lastWords() ?? "";
    const hadTask = given !== undefined && file?.task === given;
    started = undefined;
    file = undefined;
    given = undefined;
    if (isDismissed) return undefined;
    notBeforeMs = context.uptimeMs() + FIRST_PAUSE_MS * 2 ** (hadTask ? 0 : deaths);
    deaths = hadTask ? 0 : deaths + 1;
    return { times: deaths, lastWords };
  }
}

function signal(pid: number): void {
  if (pid === thisProcess().pid) return;
  try {
    process.kill(pid, "SIGTERM");
  } catch {
    // It has just ended.
  }
}
