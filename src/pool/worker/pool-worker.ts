// A worker of the pool: waits for orders, does one task after the other, and says what came of each. It
// ends when it is told to, and when its daemon is gone: what it had in hand goes back on the list, and
// what was done of it is kept.

import { openClaimer } from "../../tasks/claims/claim.ts";
import { loadSdk } from "../../claude/run.ts";
import { SagaError } from "../../errors.ts";
import { readRequest } from "../../tasks/daemon-files.ts";
import { storyLease } from "../../store/leases/lease-names.ts";
import { closeRuns, endProcessesOf, unfinished } from "../../store/runs/run-processes.ts";
import { startHeartbeat } from "../../store/leases/heartbeat.ts";
import { waitForLease } from "../../store/leases/wait-for-lease.ts";
import { newWakeup, wakeOnChange } from "../../machine/files/wakeup.ts";
import { takeTask } from "./take-task.ts";
import type { PoolWorker } from "../task/context.ts";
import { watchDaemon, type DaemonWatcher } from "./watch-daemon.ts";
import { newStatus } from "./worker-status.ts";

export interface WorkerPost extends Omit<PoolWorker, "say" | "stop"> {
  readonly instance: string;
  /** Ends it in an orderly way. */
  readonly stop: AbortSignal;
}

/** Whether there is a new order, when the file system does not tell. */
const LOOK_EVERY_MS = 1_000;
/** Others on this machine see for themselves whether it lives; this is for those elsewhere. */
const CLAIM_TTL_MS = 90_000;
const BEAT_EVERY_MS = 20_000;
/** An earlier worker of the same name may be on its way out. */
const PREDECESSOR_MS = 60_000;
const POLL_MS = 100;

export async function workInPool(post: WorkerPost): Promise<void> {
  const daemon = watchDaemon(post.folder);
  try {
    if (!daemon.gone.aborted) await waitAndWork(post, daemon);
  } finally {
    daemon.close();
  }
}

async function waitAndWork(post: WorkerPost, daemon: DaemonWatcher): Promise<void> {
  const { name, store } = post;
  const stop = AbortSignal.any([post.stop, daemon.gone]);
  const status = newStatus(post);
  try {
    const own = await waitForLease(store.leases, storyLease(name), {
      owner: post.session ?? name,
      patienceMs: PREDECESSOR_MS,
      pollMs: POLL_MS,
      stop,
    });
    if (own.kind === "held") throw nameIsTaken(name, own.by.owner);
    if (own.kind === "stopped") return;
    try {
      await followOrders({ ...post, stop, say: status.say }, post.instance);
    } finally {
      own.lease.release();
    }
  } finally {
    status.say({ state: "ended", task: undefined, subject: undefined, run: undefined });
  }
}

async function followOrders(worker: PoolWorker, instance: string): Promise<void> {
  const { name, folder, stop, say } = worker;
  const wakeup = newWakeup();
  const claimer = openClaimer(worker.listFolder, {
    owner: name,
    instance,
    ttlMs: CLAIM_TTL_MS,
    repository: worker.repository.commonDir,
  });
  const beat = startHeartbeat(BEAT_EVERY_MS, claimer.beat);
  const endWatch = wakeOnChange(folder, wakeup);
  stop.addEventListener("abort", wakeup.wake);
  // Whether it could be loaded is asked when it is needed.
  loadSdk().catch(() => undefined);
  try {
    await putInOrder(worker);
    let done = readRequest(folder, name)?.number ?? 0;
    say({ state: "idle" });
    while (!stop.aborted) {
      const order = readRequest(folder, name);
      if (order === undefined || order.number <= done) {
        await wakeup.next(LOOK_EVERY_MS);
        continue;
      }
      if ("end" in order) return;
      const result = await takeTask(worker, claimer, order);
      done = order.number;
      say({ state: "idle", task: undefined, subject: undefined, run: undefined, result });
    }
  } finally {
    clearInterval(beat);
    endWatch();
    claimer.close();
  }
}

/** What a worker of this name that was killed has left running, and unsaid. */
async function putInOrder({ store, name, now }: PoolWorker): Promise<void> {
  const killed = unfinished(await store.listRuns(name));
  await endProcessesOf(killed);
  await closeRuns(store, killed, now());
}

const nameIsTaken = (name: string, owner: string): SagaError =>
  new SagaError("in-use", `There is a worker ${name} at work already (${owner}).`, {
    hint: `\`saga attach ${name}\` looks into it; \`saga auto stop\` ends the pool.`,
  });
