// One of the competing processes. Arguments: the protocol, the folder of the peers, the list's folder, its own name. Each
// line of input is a task to try; `all <n>` is each from 1 to n.

import { createInterface } from "node:readline";
import { protocols, type ProtocolName } from "./claims-protocols.ts";
import { peersIn } from "./peers.ts";

const [protocol = "saga", peers = "", list = "", owner = ""] = process.argv.slice(2);
const claim = protocols[protocol as ProtocolName](list, owner, peersIn(peers));
process.stdout.write("ready\n");
for await (const line of createInterface({ input: process.stdin })) {
  const many = /^all (?<count>\d+)$/.exec(line)?.groups?.["count"];
  const ids = many ? Array.from({ length: Number(many) }, (_, at) => String(at + 1)) : [line];
  for (const id of ids) {
    if (await claim(id)) process.stdout.write(`claimed ${id}\n`);
  }
  process.stdout.write(`done ${line}\n`);
}
