// A dashboard page in a process of its own: follows the log of every run from the moment it appears. Arguments: the
// dashboard's address, its port, the number of stories. Prints `ready`; when its input ends, it prints the delay of each
// event as a list.

import { connect } from "./live-client.ts";

const [address = "", port = "", stories = ""] = process.argv.slice(2);
const client = await connect({ address, port: Number(port) }, Number(stories));
const since = new Map<string, number>();
const lagsMs: number[] = [];
client.onMessage((message) => {
  if (message.type === "log") {
    // Events from before it was followed have no delay.
    const from = since.get(message.run) ?? Number.POSITIVE_INFINITY;
    for (const { at } of message.events) {
      if (Date.parse(at) > from) lagsMs.push(Date.now() - Date.parse(at));
    }
  }
  if (message.type !== "change") return;
  for (const { kind, id, value } of message.changes) {
    const run = kind === "stories" ? value?.run?.id : undefined;
    if (run === undefined || since.has(run)) continue;
    since.set(run, Date.now());
    client.send({ type: "follow", story: id, run, from: 0 });
  }
});
process.stdin.resume().on("end", () => {
  client.close();
  process.stdout.write(JSON.stringify(lagsMs));
});
process.stdout.write("ready\n");
