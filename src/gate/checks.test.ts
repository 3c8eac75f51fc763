import { getPriority } from "node:os";
import { join } from "node:path";
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { newFolder } from "../../test/support/project.ts";
import { LOW_PRIORITY } from "../machine/processes/priority.ts";
import { startTimeOf } from "../machine/processes/process-id.ts";
import { runChecks, type CheckPlace } from "./checks.ts";

const newPlace = (more: Partial<CheckPlace> = {}): CheckPlace => ({
  cwd: newFolder().path,
  env: { PATH: process.env["PATH"] },
  timeoutMs: 30_000,
  ...more,
});

/** Which a check's child has written down; 0 when it has not. */
const pidIn = ({ cwd }: CheckPlace): number => {
  const file = join(cwd, "pid");
  return existsSync(file) ? Number(readFileSync(file, "utf8")) : 0;
};

describe("checks", () => {
  it("pass when each succeeds, run by the shell in the worktree", async () => {
    const place = newPlace();
    const results = await runChecks(["echo one > made && pwd", "test -f made"], place);
    expect(results).toMatchObject([
      { command: "echo one > made && pwd", isPassed: true, how: "exit 0", tail: place.cwd },
      { isPassed: true, tail: "" },
    ]);
    expect(results.every(({ ms }) => ms >= 0 && Number.isInteger(ms))).toBe(true);
  });

  it("stop at the first failure", async () => {
    const place = newPlace();
    const results = await runChecks(["true", "echo why >&2; exit 3", "touch late"], place);
    expect(results.map(({ isPassed, how, tail }) => [isPassed, how, tail])).toEqual([
      [true, "exit 0", ""],
      [false, "exit 3", "why"],
    ]);
    expect(existsSync(join(place.cwd, "late"))).toBe(false);
  });

  it("run at low priority", async () => {
    // It may have started before it is stopped.
    const low = Math.max(getPriority(), LOW_PRIORITY);
    const check = `until test "$(nice)" -eq ${low}; do :; done`;
    expect(await runChecks([check], newPlace())).toMatchObject([{ isPassed: true }]);
  });

  it("pass if there are none", async () => {
    expect(await runChecks([], newPlace())).toEqual([]);
  });

  it("get only the story's environment", async () => {
    const env = { PATH: process.env["PATH"], SAGA_PORT: "42000" };
    const [result] = await runChecks(["env"], newPlace({ env }));
    const names = result?.tail.split("\n").map((line) => line.split("=")[0]);
    expect(names?.filter((name) => !["PWD", "SHLVL", "_", "OLDPWD"].includes(name ?? ""))).toEqual(
      expect.arrayContaining(["PATH", "SAGA_PORT"]),
    );
    expect(names).not.toContain("HOME");
  });

  it("have no input to wait for", async () => {
    const [result] = await runChecks(["read answer"], newPlace());
    expect(result).toMatchObject({ isPassed: false, how: "exit 1" });
  });

  it("are killed at the time limit, with every process they started", async () => {
    const place = newPlace({ timeoutMs: 1000 });
    const [result] = await runChecks(["sleep 1000 & echo $!; wait"], place);
    expect(result).toMatchObject({ isPassed: false, how: "did not finish within 1 s" });
    expect(Number(result?.tail)).toBeGreaterThan(0);
    await expect.poll(() => startTimeOf(Number(result?.tail))).toBeUndefined();
  });

  it("neither pass nor fail when stopped, and leave no process", async () => {
    const place = newPlace();
    const stop = new AbortController();
    const script = `setsid env -i sh -c 'echo $$ > pid; exec sleep 1000' & trap '' TERM; wait; wait`;
    const ending = runChecks([script, "touch late"], { ...place, stop: stop.signal });
    await expect.poll(() => pidIn(place)).toBeGreaterThan(0);
    stop.abort();
    await expect(ending).rejects.toMatchObject({ code: "stopped" });
    expect(startTimeOf(pidIn(place))).toBeUndefined();
    expect(existsSync(join(place.cwd, "late"))).toBe(false);
  });

  it("do not start after a stop", async () => {
    const place = newPlace({ stop: AbortSignal.abort() });
    await expect(runChecks(["touch late"], place)).rejects.toMatchObject({ code: "stopped" });
    expect(existsSync(join(place.cwd, "late"))).toBe(false);
  });

  it("stay failed if they failed before a stop", async () => {
    const stop = new AbortController();
    const results = await runChecks(["exit 3"], newPlace({ stop: stop.signal }));
    stop.abort();
    expect(results).toMatchObject([{ isPassed: false, how: "exit 3" }]);
  });

  it("leave no server running, in any session", async () => {
    const place = newPlace();
    const server = `(setsid sh -c 'echo $$ > pid; exec sleep 1000' > /dev/null 2>&1 &)`;
    const untilUp = "until test -s pid; do sleep 0.01; done";
    const results = await runChecks([`${server}; ${untilUp}`], place);
    expect(results).toMatchObject([{ isPassed: true }]);
    expect(pidIn(place)).toBeGreaterThan(0);
    expect(startTimeOf(pidIn(place))).toBeUndefined();
  });

  it("are killed at the time limit together with processes that left their session", async () => {
    const place = newPlace({ timeoutMs: 1000 });
    const script = `setsid sh -c 'echo $$ > pid; trap "" TERM; while :; do sleep 1; done' & wait`;
    const [result] = await runChecks([script], place);
    expect(result).toMatchObject({ isPassed: false, how: "did not finish within 1 s" });
    expect(startTimeOf(pidIn(place))).toBeUndefined();
  });

  it("name the signal that killed them", async () => {
    expect(await runChecks(["kill -KILL $$"], newPlace())).toMatchObject([
      { isPassed: false, how: "killed by SIGKILL" },
    ]);
  });

  it("fail if they cannot be started", async () => {
    const place = newPlace();
    expect(await runChecks(["true"], { ...place, cwd: join(place.cwd, "none") })).toMatchObject([
      { isPassed: false, how: "no shell to run it" },
    ]);
  });

  it("keep the end of a long output", async () => {
    const [result] = await runChecks(["seq 1 100000; echo last"], newPlace());
    expect(result?.tail).toHaveLength(4000);
    expect(result?.tail.endsWith("100000\nlast")).toBe(true);
  });
});
