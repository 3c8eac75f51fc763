// A process that asks for many leases, says which it got, and lives until its input ends.
// Words: project folder, how many leases.

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
