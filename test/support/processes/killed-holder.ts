// A process that guards a repository's git settings, runs the shell command that it is given, and is killed: nothing is
// put in order at its end. It works in the current folder.

import { execFileSync } from "node:child_process";
import { whileGuarded } from "../../../src/machine/programs/config-guard.ts";

await whileGuarded(
  { folder: process.cwd(), env: process.env },
  { mark: ["SAGA_MARK", process.cwd()] },
  async () => {
    execFileSync("sh", ["-c", process.argv[2] ?? ""], { stdio: "ignore" });
    process.kill(process.pid, "SIGKILL");
  },
);
