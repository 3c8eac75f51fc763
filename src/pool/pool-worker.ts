// A worker of the pool: waits for orders, does one task after the other, and says what came of each. It
// ends when it is told to, and when its daemon is gone: what it had in hand goes back on the list, and
// what was done of it is kept.

import { openClaimer } from "../claude/task-claims.ts";
import { loadSdk } from "../claude/headless.ts";
import { SagaError } from "../errors.ts";
import { lifeOf } from "../machine/process.ts";
import { readDaemon, readOrder } from "../store/daemon-files.ts";
import { storyLease } from "../store/lease-names.ts";
import { closeRuns, endLeftovers, unfinished } from "../store/run-processes.ts";
import { signsOfLife } from "../store/signs-of-life.ts";
import { waitForLease } from "../store/wait-for-lease.ts";
import { newBell, ringWhenChanged } from "./bell.ts";
import { takeTask } from "./take-task.ts";
import type { PoolWorker } from "./task-work.ts";
import { newStatus } from "./worker-status.ts";

export interface WorkerPost extends Omit<PoolWorker, "say" | "stop"> {
  readonly instance: string;
  /** Ends it in an orderly way. */
  readonly stop: AbortSignal;
}

/** Whether the daemon is still there, and whether there is a new order, when nobody tells. */
const LOOK_EVERY_MS = 1_000;
/** Others on this machine see for themselves whether it lives; this is for those elsewhere. */
const CLAIM_TTL_MS = 90_000;
const BEAT_EVERY_MS = 20_000;
/** An earlier worker of the same name may be on its way out. */
const PREDECESSOR_MS = 60_000;
const POLL_MS = 100;

export async function workInPool(post: WorkerPost): Promise<void> {
  const { name, folder, instance, store } = post;
  const orphaned = new AbortController();
  const stop = AbortSignal.any([post.stop, orphaned.signal]);
  const bell = newBell();
  const daemon = readDaemon(folder)?.process;
  const isOrphan = (): boolean => daemon === undefined || lifeOf(daemon) === "dead";
  const status = newStatus(post);
  const worker: PoolWorker = { ...post, stop, say: status.say };
  const own = await waitForLease(store.leases, storyLease(name), {
    owner: post.session ?? name,
    patienceMs: PREDECESSOR_MS,
    pollMs: POLL_MS,
    stop,
  });
  if (own.kind === "held") throw nameIsTaken(name, own.by.owner);
  if (own.kind === "stopped") return;
  const claimer = openClaimer(post.listFolder, {
    owner: name,
    instance,
    ttlMs: CLAIM_TTL_MS,
    repository: post.repository.commonDir,
  });
  const timers = [
    signsOfLife(BEAT_EVERY_MS, claimer.beat),
    setInterval(() => {
      if (!isOrphan()) return;
      orphaned.abort();
      bell.ring();
    }, LOOK_EVERY_MS),
  ];
  const endWatch = ringWhenChanged(folder, bell);
  post.stop.addEventListener("abort", bell.ring);
  // Whether it could be loaded is asked when it is needed.
  loadSdk().catch(() => undefined);
  try {
    await putInOrder(worker);
    let done = readOrder(folder, name)?.number ?? 0;
    status.say({ state: "idle" });
    while (!stop.aborted) {
      const order = readOrder(folder, name);
      if (order === undefined || order.number <= done) {
        await bell.next(LOOK_EVERY_MS);
        continue;
      }
      if ("end" in order) return;
      const result = await takeTask(worker, claimer, order);
      done = order.number;
      status.say({ state: "idle", task: undefined, subject: undefined, run: undefined, result });
    }
  } finally {
    timers.forEach(clearInterval);
    endWatch();
    claimer.close();
    own.lease.release();
    status.say({ state: "ended", task: undefined, subject: undefined, run: undefined });
  }
}

/** What a worker of this name that was killed has left running, and unsaid. */
async function putInOrder({ store, name, now }: PoolWorker): Promise<void> {
  const killed = unfinished(await store.listRuns(name));
  await endLeftovers(killed);
  await closeRuns(store, killed, now());
}

const nameIsTaken = (name: string, owner: string): SagaError =>
  new SagaError("in-use", `There is a worker ${name} at work already (${owner}).`, {
    hint: `\`saga attach ${name}\` looks into it; \`saga auto stop\` ends the pool.`,
  });
