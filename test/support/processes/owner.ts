// A process that owns things. Words: the engine, where it is, its own name. Each line of input is an order:
// `acquire <names>` prints what it got; `cycle <name>` acquires, renews and releases once, and `cycle-until-end <name>`
// until its input ends, and both print each fence.

import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { openDatabase, type Database } from "../../../src/fleet/engine/database.ts";
import { openDatabaseLeases } from "../../../src/fleet/engine/leases.ts";
import { openFileLeases } from "../../../src/store/leases/file-leases.ts";
import { openClaimer } from "../../../src/store/claims/claimer.ts";
import type { Acquired } from "../../../src/store/ownership/ownership.ts";

const [engine = "", place = "", owner = ""] = process.argv.slice(2);
const TTL_MS = 60_000;

const engines: Readonly<Record<string, () => (name: string) => Promise<Acquired>>> = {
  leases() {
    const leases = openFileLeases(place, { now: Date.now });
    return (name) => leases.acquire(name, { owner, ttlMs: TTL_MS });
  },
  database() {
    const [url = "", schema = ""] = place.split(" ");
    const leases = openDatabaseLeases(dying(openDatabase(url)), schema, { machine: owner });
    return (name) => leases.acquire(name, { owner, ttlMs: TTL_MS });
  },
  claims() {
    const claimer = openClaimer(place, { owner, instance: "there", ttlMs: TTL_MS });
    return (name) => claimer.acquire(name);
  },
};
const open = engines[engine];
if (!open) throw new Error(`There is no engine ${engine}.`);
const acquire = open();

/** Dies before or after one of its statements: the state of a database changes there, not on disk. */
function dying({ query, ...others }: Database): Database {
  let left = Number(process.env["KILL_AT"]);
  const count = (): void => {
    if (--left === 0) process.kill(process.pid, "SIGKILL");
  };
  const counted: Database["query"] = async (text, values) => {
    count();
    const rows = await query(text, values);
    count();
    return rows as never;
  };
  return { ...others, query: counted };
}

const input = new AbortController();
const lines = createInterface({ input: process.stdin });
lines.on("close", () => input.abort());
lines.on("line", (line) => void obey(line));

async function obey(line: string): Promise<void> {
  const [order, ...names] = line.split(" ");
  const [name = ""] = names;
  switch (order) {
    case "acquire":
      process.stdout.write(`${JSON.stringify(await acquireAll(names))}\n`);
      return;
    case "cycle":
      await cycle(name);
      return;
    case "cycle-until-end":
      while (!input.signal.aborted) await cycle(name, 1);
      return;
    default:
      throw new Error(`It does not know ${order}.`);
  }
}

async function acquireAll(names: readonly string[]) {
  const won: { name: string; fence: number }[] = [];
  for (const name of names) {
    const { lease } = await acquire(name);
    if (lease) won.push({ name, fence: lease.fence });
  }
  return won;
}

/** It holds the name for as long, so that others can see it. */
async function cycle(name: string, holdMs = 0): Promise<void> {
  const { lease } = await acquire(name);
  if (!lease) return;
  process.stdout.write(`${lease.fence}\n`);
  await lease.renew();
  if (holdMs > 0) await wait(holdMs);
  await lease.release();
}
