import { spawn, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { getPriority } from "node:os";
import type { Readable, Writable } from "node:stream";
import { expect, it } from "vitest";
import { putBehind } from "./priority.ts";

/** Waits for a line, and then does this. */
const start = (then: string): ChildProcessByStdio<Writable, Readable, null> =>
  spawn("sh", ["-c", `read -r line; ${then}`], {
    stdio: ["pipe", "pipe", "inherit"],
    detached: true,
  });

it("gives a process the lower priority, and what it starts as well", async () => {
  const child = start("nice");
  putBehind(child.pid);
  child.stdin.end("go\n");
  let said = "";
  child.stdout.on("data", (chunk: Buffer) => (said += chunk.toString("utf8")));
  await once(child, "close");
  expect(Number(said)).toBe(Math.max(getPriority(), 10));
});

it.runIf(existsSync("/proc/self/autogroup"))(
  "gives it to the whole session, because sessions are weighed against each other",
  async () => {
    const children = [start("true"), start("true")];
    for (const { pid } of children) putBehind(pid);
    const groups = (): string[] =>
      children.map(({ pid }) => readFileSync(`/proc/${pid}/autogroup`, "utf8").trim());
    await expect
      .poll(groups)
      .toEqual([expect.stringMatching(/ nice 10$/), expect.stringMatching(/ nice 10$/)]);
    for (const child of children) {
      child.stdin.end("go\n");
      await once(child, "exit");
    }
    expect(readFileSync("/proc/self/autogroup", "utf8")).not.toMatch(/ nice 10$/);
  },
);

it("leaves one alone that is gone, or never was", async () => {
  const child = start("true");
  child.stdin.end("go\n");
  await once(child, "exit");
  expect(() => putBehind(child.pid)).not.toThrow();
  expect(() => putBehind(undefined)).not.toThrow();
});
