// A pool daemon that does no work: it writes the same files as the real one, and ends as requested. Arguments: project
// folder, list folder, one way to end for each start; the last one is repeated.

import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { thisProcess } from "../../../src/machine/processes/process-id.ts";
import {
  makeInstanceFolder,
  touchDaemon,
  writeDaemon,
  writeFailure,
} from "../../../src/tasks/daemon-files.ts";
import type { PoolProblem } from "../../../src/tasks/problem.ts";

const [project = "", list = "", ...ways] = process.argv.slice(2);
const counter = join(project, "starts");
const start = existsSync(counter) ? Number(readFileSync(counter, "utf8")) + 1 : 1;
writeFileSync(counter, String(start));
const way = ways[start - 1] ?? ways.at(-1) ?? "0";

if (way === "refuse") {
  process.stderr.write("saga: there is no claude.\n");
  process.exit(1);
}

const instance = start.toString(16).padStart(8, "0");
const folder = makeInstanceFolder(project, instance);
writeDaemon(folder, {
  instance,
  list: "chores",
  folder: list,
  process: thisProcess(),
  startedAt: new Date().toISOString(),
  state: "running",
  workers: [],
});

function fail(problem: PoolProblem): never {
  writeFailure(folder, problem);
  process.stderr.write(`saga: ${problem.message}\n`);
  process.exit(1);
}

switch (way) {
  case "crash":
    process.kill(process.pid, "SIGKILL");
    break;
  case "throw":
    throw new Error("a problem of its own");
  case "hang":
    // Ignores SIGTERM too.
    process.on("SIGTERM", () => undefined);
    setInterval(() => undefined, 1000);
    break;
  case "live":
    process.on("SIGTERM", () => {
      process.stdout.write('{"stopped":true}\n');
      process.exit(0);
    });
    setInterval(() => touchDaemon(folder, Date.now()), 20);
    process.stderr.write("alive\n");
    break;
  default:
    requireJson();
    if (way.startsWith("fail:")) fail(JSON.parse(way.slice("fail:".length)) as PoolProblem);
    process.stdout.write('{"done":true}\n');
    process.exit(Number(way));
}

/** As the real one: a file of the list that is not JSON stops it. */
function requireJson(): void {
  for (const name of readdirSync(list).filter((one) => one.endsWith(".json"))) {
    const file = join(list, name);
    try {
      JSON.parse(readFileSync(file, "utf8"));
    } catch (error) {
      fail({ kind: "invalid-json", file, taskId: name.slice(0, -5), message: String(error) });
    }
  }
}
