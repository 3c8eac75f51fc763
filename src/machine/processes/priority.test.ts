import { spawn } from "node:child_process";
import { once } from "node:events";
import { getPriority } from "node:os";
import { expect, test } from "vitest";
import { lowerPriority } from "./priority.ts";

test("a process with a lowered priority passes it on to its children", async () => {
  const script = "read -r line; nice";
  const child = spawn("sh", ["-c", script], { stdio: ["pipe", "pipe", "inherit"] });
  const ownPriority = getPriority();
  lowerPriority(child.pid);
  child.stdin.end("go\n");
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString("utf8")));
  await once(child, "close");
  expect(Number(output)).toBe(Math.max(ownPriority, 5));
});

test("a process that is gone or never existed is ignored", async () => {
  const child = spawn("true");
  await once(child, "exit");
  expect(() => lowerPriority(child.pid)).not.toThrow();
  expect(() => lowerPriority(undefined)).not.toThrow();
});
