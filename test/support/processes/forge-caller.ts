// A process that makes several calls to a local forge and prints the results. Arguments: the forge's folder, then the calls
// as JSON: [["find", "branch"], …].

import { openLocalForge } from "../../../src/machine/forge/forge-local.ts";

const [folder = "", calls = "[]"] = process.argv.slice(2);
const forge = openLocalForge(folder, Date.now) as unknown as Record<
  string,
  (...args: unknown[]) => Promise<unknown>
>;
const answers: unknown[] = [];
for (const [name, ...args] of JSON.parse(calls) as [string, ...unknown[]][]) {
  answers.push(await forge[name]?.(...args));
}
process.stdout.write(JSON.stringify(answers));
