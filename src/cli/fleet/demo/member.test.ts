import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, it } from "vitest";
import { processesWith } from "../../../machine/processes/process-tree.ts";
import { killAtOnce } from "./member.ts";

it("kills every process that is found, and says how many there were", async () => {
  const mark = `demo-member-${process.pid}`;
  const env = { PATH: process.env["PATH"], SAGA_MARK: mark };
  const children = [1, 2].map(() => spawn("sleep", ["60"], { env, stdio: "ignore" }));
  await Promise.all(children.map((child) => once(child, "spawn")));
  const ended = Promise.all(children.map((child) => once(child, "exit")));
  expect(killAtOnce(() => processesWith("SAGA_MARK", mark))).toBe(2);
  expect((await ended).map(([, signal]) => signal as string)).toEqual(["SIGKILL", "SIGKILL"]);
  expect(killAtOnce(() => processesWith("SAGA_MARK", mark))).toBe(0);
});
