import { spawn } from "node:child_process";
import { once } from "node:events";
import { getPriority } from "node:os";
import { expect, test } from "vitest";
import { lowerPriority } from "./priority.ts";

test("a process that is put behind has the lower priority, and so has what it starts", async () => {
  const script = "read -r line; nice";
  const child = spawn("sh", ["-c", script], { stdio: ["pipe", "pipe", "inherit"] });
  const ownPriority = getPriority();
  lowerPriority(child.pid);
  child.stdin.end("go\n");
  let said = "";
  child.stdout.on("data", (chunk: Buffer) => (said += chunk.toString("utf8")));
  await once(child, "close");
  expect(Number(said)).toBe(Math.max(ownPriority, 5));
});

test("one that is gone, or never was, is no matter", async () => {
  const child = spawn("true");
  await once(child, "exit");
  expect(() => lowerPriority(child.pid)).not.toThrow();
  expect(() => lowerPriority(undefined)).not.toThrow();
});
