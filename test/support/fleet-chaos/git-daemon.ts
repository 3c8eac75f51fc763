// The bare repositories of a folder behind git's own protocol, on an address of this machine.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** Returns its address, without the path. Anyone who reaches it can push. */
export async function startGitDaemon(folder: string, host: string): Promise<string> {
  const port = await freePort(host);
  const words = ["daemon", "--reuseaddr", "--export-all", "--enable=receive-pack", "--verbose"];
  const place = [`--listen=${host}`, `--port=${port}`, `--base-path=${folder}`, folder];
  const child = spawn("git", [...words, ...place], { stdio: ["ignore", "ignore", "pipe"] });
  onTestFinished(async () => {
    if (child.exitCode !== null) return;
    const ended = once(child, "exit");
    child.kill();
    await ended;
  });
  let output = "";
  await new Promise<void>((resolve, reject) => {
    child.stderr.on("data", (chunk: Buffer) => {
      output += chunk.toString();
      if (output.includes("Ready to rumble")) resolve();
    });
    child.once("exit", () => reject(new Error(`git daemon ended: ${output}`)));
  });
  return `git://${host}:${port}`;
}

async function freePort(host: string): Promise<number> {
  const server = createServer().listen(0, host);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
