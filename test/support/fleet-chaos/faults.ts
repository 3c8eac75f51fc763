// What can happen to a member of a fleet, and to its database. Each fault lasts for a while, and is then over.

import { renameSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import type { PostgresServer } from "../../../src/fleet/postgres/server.ts";
import type { FleetMember, Joined } from "../fleet-stage.ts";
import { asking } from "../postgres.ts";
import type { Chance } from "../seeded.ts";
import type { TcpGate } from "./tcp-gate.ts";

export interface ChaosMember {
  readonly member: FleetMember;
  /** Between it and the database. */
  readonly gate: TcpGate;
  /** The symlink that is its remote. */
  readonly remoteLink: string;
  joined: Joined;
}

export interface ChaosWorld {
  readonly server: PostgresServer;
  /** Of the fleet's database, past all gates. */
  readonly url: string;
  readonly members: readonly ChaosMember[];
}

export const FAULTS = [
  "kill",
  "sleep",
  "cut off from the database",
  "cut off from the remote",
  "cut off from both",
  "database crash",
] as const;
export type Fault = (typeof FAULTS)[number];

export async function commit(fault: Fault, world: ChaosWorld, chance: Chance): Promise<string> {
  const one = world.members[chance.below(world.members.length)];
  if (one === undefined) throw new RangeError("no member");
  const lastsMs = 1_500 + chance.below(4_000);
  const how = chance.below(2) === 0 ? "drop" : "hold";
  const { name } = one.member;
  switch (fault) {
    case "kill":
      one.member.kill();
      await makeSilent(world, name);
      await wait(lastsMs);
      one.joined = one.member.join("--slots", "2");
      break;
    case "sleep": {
      const asleep = one.member.processes();
      signalAll(asleep, "SIGSTOP");
      await makeSilent(world, name);
      await wait(lastsMs);
      signalAll(asleep, "SIGCONT");
      break;
    }
    case "cut off from the database":
      one.gate.cut(how);
      await makeSilent(world, name);
      await wait(lastsMs);
      one.gate.restore();
      break;
    case "cut off from the remote":
      await withoutRemote(one, () => wait(lastsMs));
      break;
    case "cut off from both":
      one.gate.cut(how);
      await withoutRemote(one, async () => {
        await makeSilent(world, name);
        await wait(lastsMs);
      });
      one.gate.restore();
      break;
    case "database crash":
      await world.server.stop("immediate");
      await wait(lastsMs);
      await world.server.start();
      return `${fault} for ${lastsMs} ms`;
  }
  return `${fault}: ${name} for ${lastsMs} ms (${how})`;
}

/** As if it had been silent for 30 seconds. Its own clock does not know: only the fences protect the story now. */
const makeSilent = ({ url }: ChaosWorld, machine: string): Promise<unknown> =>
  asking(url, async ({ query }) => {
    const ago = "- interval '31 seconds'";
    const rows = await query<{ readonly story: string }>(
      `UPDATE saga_shop.lease SET renewed_at = renewed_at ${ago}
       WHERE record->>'machine' = $1 RETURNING substr(name, 7) AS story`,
      [machine],
    );
    await query(
      `UPDATE saga_shop_jobs.job SET heartbeat_on = heartbeat_on ${ago} WHERE data->>'story' = ANY($1)`,
      [rows.map(({ story }) => story)],
    );
  });

async function withoutRemote({ remoteLink }: ChaosMember, act: () => Promise<void>): Promise<void> {
  renameSync(remoteLink, `${remoteLink}.away`);
  try {
    await act();
  } finally {
    renameSync(`${remoteLink}.away`, remoteLink);
  }
}

function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // It has ended meanwhile.
    }
  }
}
