// The leases that other machines of the fleet held when this one last looked: for commands that only look and connect to
// nothing. Nothing is decided by them: a command that starts work asks the fleet's database.

import { join } from "node:path";
import { readOwnTextIfThere, replaceFile } from "../../machine/files/files.ts";
import { parseJson } from "../../text/parse-json.ts";
import { leaseRecordOf } from "../leases/read-lease.ts";
import type { Leases, LeaseState } from "../leases/leases.ts";
import { elsewhereFolder, type Layout } from "../project/layout.ts";
import { makeIgnoredFolder } from "../write/ignored-folder.ts";

const leasesFile = (at: Layout): string => join(elsewhereFolder(at), "leases.json");

export function saveKnownLeases(at: Layout, leases: readonly LeaseState[]): void {
  const text = `${JSON.stringify(leases)}\n`;
  if ((readOwnTextIfThere(leasesFile(at)) ?? "[]\n") === text) return;
  makeIgnoredFolder(elsewhereFolder(at));
  replaceFile(leasesFile(at), text);
}

export function readKnownLeases(at: Layout): readonly LeaseState[] {
  const found = parseJson(readOwnTextIfThere(leasesFile(at)) ?? "[]");
  return Array.isArray(found) ? found.flatMap((one: unknown) => leaseOf(one) ?? []) : [];
}

function leaseOf(value: unknown): LeaseState | undefined {
  const fields = value as Readonly<Record<string, unknown>> | null;
  const record = leaseRecordOf(fields?.["record"]);
  const [name, fence] = [fields?.["name"], fields?.["fence"]];
  if (record === undefined || typeof name !== "string" || typeof fence !== "number") {
    return undefined;
  }
  return { name, fence, record, life: "alive" };
}

/** A living owner on this machine counts first. */
export function withKnownLeases(leases: Leases, at: Layout): Leases {
  const known = (): ReadonlyMap<string, LeaseState> =>
    new Map(readKnownLeases(at).map((lease) => [lease.name, lease]));
  const first = (here: LeaseState | undefined, there: LeaseState | undefined) =>
    here?.life === "alive" ? here : (there ?? here);
  return {
    ...leases,
    read: async (name) => first(await leases.read(name), known().get(name)),
    async list(onProblem) {
      const there = known();
      const here = await leases.list(onProblem);
      const names = new Set([...here.map(({ name }) => name), ...there.keys()]);
      return [...names].flatMap(
        (name) =>
          first(
            here.find((one) => one.name === name),
            there.get(name),
          ) ?? [],
      );
    },
    async look() {
      const there = known();
      const here = await leases.look();
      return there.size === 0 ? here : (name) => first(here(name), there.get(name));
    },
  };
}
