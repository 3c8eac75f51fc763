import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, it, onTestFinished } from "vitest";
import { askToEnd } from "./ask-to-end.ts";
import { startTimeOf, thisProcess } from "./process-id.ts";

/** It says that it is ready, and does what the script says on SIGTERM. */
async function started(onTerm: string) {
  const child = spawn("sh", [
    "-c",
    `trap '${onTerm}' TERM; echo ready; while :; do sleep 0.05; done`,
  ]);
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  const pid = child.pid ?? 0;
  return { ...thisProcess(), pid, startTime: startTimeOf(pid) ?? "" };
}

it("waits until the process has ended", async () => {
  expect(await askToEnd(await started("exit 0"), 10_000)).toBe("ended");
});

it("says when the process takes longer", async () => {
  expect(await askToEnd(await started(":"), 100)).toBe("slow");
});

it("sends nothing to a process that has the pid of a dead one, or is on another machine", async () => {
  const owner = await started("exit 0");
  expect(await askToEnd({ ...owner, startTime: "1" }, 100)).toBe("elsewhere");
  expect(await askToEnd({ ...owner, place: "another" }, 100)).toBe("elsewhere");
  expect(startTimeOf(owner.pid)).toBe(owner.startTime);
});
