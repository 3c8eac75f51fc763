// A process that asks for many leases, prints those it got, and runs until its input ends. Arguments: project folder,
// number of leases.

import { openStore } from "../../../src/store/file-store.ts";

const [project = "", leases = "0"] = process.argv.slice(2);
const { acquire } = openStore(project).leases;
const won: number[] = [];
for (let at = 0; at < Number(leases); at++) {
  const { lease } = await acquire(`claim.${at}`, { owner: "claimer", ttlMs: 60_000 });
  if (lease) won.push(at);
}
process.stdout.write(`${JSON.stringify(won)}\n`);
process.stdin.resume();
