// A worker of the pool: waits for requests, does one task after the other, and reports each result. It ends when it is
// told to, and when its daemon ends: its task goes back on the list, and the work so far is kept as a snapshot.

import { openClaimer } from "../../store/claims/claimer.ts";
import { SagaError } from "../../errors.ts";
import { readRequest } from "../../tasks/daemon-files.ts";
import { storyLease } from "../../store/leases/lease-names.ts";
import { endLeftRuns } from "../../store/runs/run-processes.ts";
import { startHeartbeat } from "../../store/leases/heartbeat.ts";
import { waitForLease } from "../../store/leases/wait-for-lease.ts";
import { newWakeup, wakeOnChange } from "../../machine/files/wakeup.ts";
import { takeTask } from "./take-task.ts";
import type { PoolWorker } from "../task/context.ts";
import { watchDaemon, type DaemonWatcher } from "./watch-daemon.ts";
import { newStatus } from "./worker-status.ts";

export interface PoolWorkerOptions extends Omit<PoolWorker, "report" | "stop"> {
  readonly instance: string;
  /** Ends it in an orderly way. */
  readonly stop: AbortSignal;
}

/** If the file system does not report a new request. */
const CHECK_EVERY_MS = 1_000;
/** Only for other machines: on this one the process itself shows if it is alive. */
const CLAIM_TTL_MS = 90_000;
const BEAT_EVERY_MS = 20_000;
/** An earlier worker with the same name may still be ending. */
const PREDECESSOR_MS = 60_000;
const POLL_MS = 100;

export async function workInPool(options: PoolWorkerOptions): Promise<void> {
  const daemon = watchDaemon(options.folder);
  try {
    if (!daemon.gone.aborted) await waitAndWork(options, daemon);
  } finally {
    daemon.close();
  }
}

async function waitAndWork(options: PoolWorkerOptions, daemon: DaemonWatcher): Promise<void> {
  const { name, store } = options;
  const stop = AbortSignal.any([options.stop, daemon.gone]);
  const status = newStatus(options);
  try {
    const own = await waitForLease(store.leases, storyLease(name), {
      owner: options.session ?? name,
      maxWaitMs: PREDECESSOR_MS,
      pollMs: POLL_MS,
      stop,
    });
    if (own.kind === "held") throw nameIsTaken(name, own.by.owner);
    if (own.kind === "stopped") return;
    try {
      await followRequests({ ...options, stop, report: status.report }, options.instance);
    } finally {
      await own.lease.release();
    }
  } finally {
    status.report({ state: "ended", task: undefined, subject: undefined, run: undefined });
  }
}

async function followRequests(worker: PoolWorker, instance: string): Promise<void> {
  const { name, folder, stop, report } = worker;
  const wakeup = newWakeup();
  const claimer = openClaimer(worker.listFolder, {
    owner: name,
    instance,
    ttlMs: CLAIM_TTL_MS,
  });
  const beat = startHeartbeat(BEAT_EVERY_MS, claimer.beat);
  const endWatch = wakeOnChange(folder, wakeup);
  stop.addEventListener("abort", wakeup.wake);
  worker.agent.preload(worker.env);
  try {
    await endLeftRuns(worker.store, name, worker.now());
    let done = readRequest(folder, name)?.number ?? 0;
    report({ state: "idle" });
    while (!stop.aborted) {
      const request = readRequest(folder, name);
      if (request === undefined || request.number <= done) {
        await wakeup.next(CHECK_EVERY_MS);
        continue;
      }
      if ("end" in request) return;
      const result = await takeTask(worker, claimer, request);
      done = request.number;
      report({ state: "idle", task: undefined, subject: undefined, run: undefined, result });
    }
  } finally {
    clearInterval(beat);
    endWatch();
    claimer.close();
  }
}

const nameIsTaken = (name: string, owner: string): SagaError =>
  new SagaError("in-use", `The worker ${name} is already running (${owner}).`, {
    hint: `\`saga attach ${name}\` shows it; \`saga auto stop\` stops the pool.`,
  });
