// A process that claims tasks of a list, prints those it got, and runs until its input ends. Arguments: the list's folder,
// its own name. Each line of input is a task to try; `all <n>` is each from 1 to n.

import { createInterface } from "node:readline";
import { claimTask } from "../../../src/tasks/claims/claim.ts";
import { openClaimer } from "../../../src/store/claims/claimer.ts";

const [list = "", owner = ""] = process.argv.slice(2);
const claimer = openClaimer(list, { owner, instance: "torture", ttlMs: 60_000 });

async function tryTask(id: string): Promise<boolean> {
  const { kind } = await claimTask(list, claimer, id);
  return kind === "claimed";
}

process.stdout.write("ready\n");
for await (const line of createInterface({ input: process.stdin })) {
  const many = /^all (?<count>\d+)$/.exec(line)?.groups?.["count"];
  const ids = many ? Array.from({ length: Number(many) }, (_, at) => String(at + 1)) : [line];
  for (const id of ids) {
    if (await tryTask(id)) process.stdout.write(`claimed ${id}\n`);
  }
  process.stdout.write(`done ${line}\n`);
}
