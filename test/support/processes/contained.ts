// Starts the given shell command contained, prints the pid of its supervisor, and waits to be killed.

import { spawn } from "node:child_process";
import { containedCommand } from "../../../src/machine/processes/contain.ts";

const command = { program: "sh", args: ["-c", process.argv[2] ?? ""], env: process.env };
const { program, args, env } = containedCommand(command, { graceMs: 200 });
const child = spawn(program, [...args], { env, detached: true, stdio: "ignore" });
process.stdout.write(`${child.pid}\n`);
setInterval(() => undefined, 1000);
