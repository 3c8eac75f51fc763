// One place for a worker, as its daemon keeps it: who is in it, what that one was told, and how often
// somebody died there without a task.

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
import type { Lease } from "../../store/leases/lease.ts";
import type { WorkerView } from "./plan.ts";

export interface SlotHands {
  /** Starts a worker in a session of its own. */
  readonly start: (slot: number) => Promise<Started>;
  /** Only goes forward, whatever is done to the clock. */
  readonly uptimeMs: () => number;
}

export interface Started {
  readonly session: string;
  /** Whether its session is there. */
  readonly isThere: () => Promise<boolean>;
  /** The last that it printed. */
  readonly lastWords: () => string;
}

export interface Slot {
  readonly name: string;
  readonly lease: Lease;
  readonly view: () => WorkerView;
  readonly file: () => WorkerFile | undefined;
  /** Looks what has become of the worker. */
  readonly look: () => Promise<Seen>;
  readonly start: () => Promise<void>;
  readonly give: (taskId: string, otherLabels: readonly string[]) => void;
  readonly dismiss: () => void;
  /** Politely at first; so long after that, hard. */
  readonly stop: () => void;
}

export interface Seen {
  readonly took?: { readonly id: string; readonly subject: string } | undefined;
  readonly result?: RequestResult | undefined;
  /** It ended without having been told to. */
  readonly died?: Death | undefined;
}

export interface Death {
  /** In a row, without a task in hand: one that dies at a task may have died of it, and that is the task's. */
  readonly times: number;
  /** Why, as far as it said. */
  readonly lastWords: string;
}

/** A worker that has not said anything by then is looked for. */
const SILENT_MS = 2_000;
const FIRST_PAUSE_MS = 1_000;
/** An agent needs up to five seconds to end, and its work is kept after that. */
const GRACE_MS = 30_000;

export function newSlot(folder: string, number: number, lease: Lease, hands: SlotHands): Slot {
  const name = workerName(number);
  let started: (Started & { readonly atMs: number }) | undefined;
  let file: WorkerFile | undefined;
  let order = readRequest(folder, name)?.number ?? 0;
  let given: string | undefined;
  let isTold = false;
  let isDismissed = false;
  let deaths = 0;
  let notBeforeMs = -Infinity;
  let stoppedAtMs: number | undefined;

  const view = (): WorkerView => {
    const state = stateOf();
    return { name, state, given };
  };
  const stateOf = (): WorkerView["state"] => {
    if (started === undefined) return hands.uptimeMs() < notBeforeMs ? "resting" : "gone";
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
      started = { ...(await hands.start(number)), atMs: hands.uptimeMs() };
    },
    give(taskId, otherLabels) {
      given = taskId;
      isTold = false;
      writeRequest(folder, name, { number: ++order, taskId, otherLabels: [...otherLabels] });
    },
    dismiss() {
      if (isDismissed) return;
      isDismissed = true;
      writeRequest(folder, name, { number: ++order, end: true });
    },
    stop() {
      isDismissed = true;
      const worker = file?.process;
      if (worker === undefined || livenessOf(worker) !== "alive") return;
      stoppedAtMs ??= hands.uptimeMs();
      if (hands.uptimeMs() - stoppedAtMs < GRACE_MS) signal(worker.pid);
      else void endProcesses(processTree(worker), { graceMs: 1_000 });
    },
    async look() {
      if (started === undefined) return {};
      file = readWorker(folder, name) ?? file;
      const seen = hear();
      const isGone = file
        ? livenessOf(file.process) === "dead"
        : hands.uptimeMs() - started.atMs > SILENT_MS && !(await started.isThere());
      return isGone ? { ...seen, died: died() } : seen;
    },
  };

  function hear(): Seen {
    const result = file?.result;
    const isAnswer = result !== undefined && result.number === order && given !== undefined;
    // It may be over before anyone has looked.
    const hadIt = isAnswer && result.kind !== "not-taken";
    const took = !isTold && given !== undefined && (file?.task === given || hadIt);
    const id = given ?? "";
    if (took) isTold = true;
    if (isAnswer) {
      given = undefined;
      deaths = 0;
    }
    return {
      took: took ? { id, subject: file?.subject ?? result?.subject ?? "" } : undefined,
      result: isAnswer ? result : undefined,
    };
  }

  function died(): Seen["died"] {
    const lastWords = started?.lastWords() ?? "";
    const hadTask = given !== undefined && file?.task === given;
    started = undefined;
    file = undefined;
    given = undefined;
    if (isDismissed) return undefined;
    notBeforeMs = hands.uptimeMs() + FIRST_PAUSE_MS * 2 ** (hadTask ? 0 : deaths);
    deaths = hadTask ? 0 : deaths + 1;
    return { times: deaths, lastWords };
  }
}

function signal(pid: number): void {
  if (pid === thisProcess().pid) return;
  try {
    process.kill(pid, "SIGTERM");
  } catch {
    // It has ended in this very moment.
  }
}
