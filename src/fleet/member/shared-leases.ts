// The leases of a member: a file on this machine, and a row for all machines. The file first, so that processes of one
// machine still see each other at once. What is only of this machine (slots, the pool's workers) stays a file.
//
// The row expires soon, so that a dead machine's work continues elsewhere. Each lease therefore renews its row by itself while
// its process lives, whatever its owner does. When the database cannot be reached, the lease holds until its row would
// have expired. Then another machine may have it, and it counts as lost.

import { uptime } from "node:os";
import { livenessOf } from "../../machine/processes/process-id.ts";
import { storyOfLease } from "../../store/leases/lease-names.ts";
import type { LeaseRecord, Leases, LeaseState } from "../../store/leases/leases.ts";
import type { Lease } from "../../store/ownership/ownership.ts";
import { isPoolName } from "../../story/definition/names.ts";

/** With the renewal below: a dead machine's story is free 30 s after its last sign of life. */
const SHARED_TTL_MS = 30_000;
const RENEW_EVERY_MS = 7_000;

export interface SharedLeasesOptions {
  readonly local: Leases;
  /** Connects on first use. */
  readonly shared: () => Promise<{ readonly leases: Leases; readonly machine: string }>;
  /** Seconds since the machine started, its sleep included. A clock that people set does not change it. */
  readonly uptimeSeconds?: () => number;
  readonly ttlMs?: number;
  readonly renewEveryMs?: number;
}

export function openSharedLeases({
  local,
  shared,
  uptimeSeconds = uptime,
  ttlMs = SHARED_TTL_MS,
  renewEveryMs = RENEW_EVERY_MS,
}: SharedLeasesOptions): Leases {
  return {
    async acquire(name, request) {
      if (!isShared(name)) return local.acquire(name, request);
      const here = await local.acquire(name, request);
      if (!here.lease) return here;
      try {
        const { leases, machine } = await shared();
        await takeFromOwnDead(leases, machine, name);
        const there = await leases.acquire(name, { ...request, ttlMs });
        if (there.lease) return { lease: inHand(here.lease, there.lease) };
        await here.lease.release();
        return { heldBy: withMachine(there.heldBy, machine) };
      } catch (error) {
        await here.lease.release();
        throw error;
      }
    },
    async read(name) {
      const here = await local.read(name);
      if (here?.life === "alive" || !isShared(name)) return here;
      const { leases, machine } = await shared();
      return newer(here, named(await leases.read(name), machine));
    },
    async list(onProblem) {
      const there = await tryShared(async ({ leases, machine }) =>
        (await leases.list(onProblem)).flatMap((state) => named(state, machine) ?? []),
      );
      return merged(await local.list(onProblem), there ?? []);
    },
    async look() {
      const here = await local.look();
      const there = await tryShared(async ({ leases, machine }) => {
        const look = await leases.look();
        return (name: string) => named(look(name), machine);
      });
      return (name) => (isShared(name) ? newer(here(name), there?.(name)) : here(name));
    },
  };

  /** Views show what this machine knows when the database cannot be reached. Who acquires a lease is decided there alone. */
  async function tryShared<T>(
    read: (fleet: Awaited<ReturnType<typeof shared>>) => Promise<T>,
  ): Promise<T | undefined> {
    return shared()
      .then(read)
      .catch(() => undefined);
  }

  function inHand(here: Lease<LeaseRecord>, there: Lease<LeaseRecord>): Lease<LeaseRecord> {
    let isLost = false;
    let renewedAt = uptimeSeconds();
    const renewThere = async (): Promise<boolean> => {
      if (isLost) return false;
      const requestedAt = uptimeSeconds();
      try {
        isLost ||= !(await there.renew());
        if (!isLost) renewedAt = requestedAt;
      } catch (error) {
        isLost ||= (uptimeSeconds() - renewedAt) * 1000 > ttlMs;
        if (!isLost) throw error;
      }
      return !isLost;
    };
    const renewing = setInterval(() => void renewThere().catch(() => undefined), renewEveryMs);
    renewing.unref();
    return {
      name: there.name,
      fence: there.fence,
      record: there.record,
      tookOverFrom: there.tookOverFrom ?? here.tookOverFrom,
      isMine: async () => !isLost && (await here.isMine()) && (await there.isMine()),
      async renew() {
        const isHere = await here.renew();
        return (await renewThere()) && isHere;
      },
      async release() {
        clearInterval(renewing);
        // A row that cannot be released now expires soon.
        await there.release().catch(() => undefined);
        await here.release();
      },
    };
  }
}

/** Stories, epics and what lands at the remote. A target on this machine is only of this machine. */
export function isShared(name: string): boolean {
  const story = storyOfLease(name);
  if (story !== undefined) return !isPoolName(story);
  return name.startsWith("epic.") || name.startsWith("lane.lane-remote-");
}

async function takeFromOwnDead(leases: Leases, machine: string, name: string): Promise<void> {
  const held = await leases.read(name);
  if (held?.life !== "alive" || !isOwnDead(held.record, machine)) return;
  await leases.expire?.(name, held.fence);
}

/** People read the owner's name: on another machine, it says so. */
const withMachine = (record: LeaseRecord, own: string): LeaseRecord =>
  record.machine === undefined || record.machine === own
    ? record
    : { ...record, owner: `${record.owner} on ${record.machine}` };

/** A dead process of this very machine needs no time to be counted as dead. */
const named = (state: LeaseState | undefined, own: string): LeaseState | undefined =>
  state && {
    ...state,
    life: isOwnDead(state.record, own) ? "dead" : state.life,
    record: withMachine(state.record, own),
  };

const isOwnDead = (record: LeaseRecord, own: string): boolean =>
  record.machine === own && livenessOf(record) === "dead";

/** A living owner counts more than a dead one, and the fleet's row more than this machine's file. */
const newer = (
  here: LeaseState | undefined,
  there: LeaseState | undefined,
): LeaseState | undefined => {
  if (there?.life === "alive") return there;
  return here?.life === "alive" ? here : (there ?? here);
};

function merged(here: readonly LeaseState[], there: readonly LeaseState[]): LeaseState[] {
  const names = new Set([...here, ...there].map(({ name }) => name));
  const of = (states: readonly LeaseState[], name: string): LeaseState | undefined =>
    states.find((state) => state.name === name);
  return [...names].flatMap((name) => newer(of(here, name), of(there, name)) ?? []);
}
