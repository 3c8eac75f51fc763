import { join } from "node:path";
import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { newFolder } from "../../test/support/project.ts";
import { startTimeOf } from "../machine/process.ts";
import { runChecks, type CheckPlace } from "./checks.ts";

const newPlace = (more: Partial<CheckPlace> = {}): CheckPlace => ({
  cwd: newFolder().path,
  env: { PATH: process.env["PATH"] },
  timeoutMs: 30_000,
  ...more,
});

describe("checks", () => {
  it("pass when each of them succeeds, in the worktree and in the shell", async () => {
    const place = newPlace();
    const results = await runChecks(["echo one > made && pwd", "test -f made"], place);
    expect(results).toMatchObject([
      { command: "echo one > made && pwd", isPassed: true, how: "exit 0", tail: place.cwd },
      { isPassed: true, tail: "" },
    ]);
    expect(results.every(({ ms }) => ms >= 0 && Number.isInteger(ms))).toBe(true);
  });

  it("go no further than the first that fails", async () => {
    const place = newPlace();
    const results = await runChecks(["true", "echo why >&2; exit 3", "touch late"], place);
    expect(results.map(({ isPassed, how, tail }) => [isPassed, how, tail])).toEqual([
      [true, "exit 0", ""],
      [false, "exit 3", "why"],
    ]);
    expect(existsSync(join(place.cwd, "late"))).toBe(false);
  });

  it("that are none are passed", async () => {
    expect(await runChecks([], newPlace())).toEqual([]);
  });

  it("see the environment of the story and nothing else", async () => {
    const env = { PATH: process.env["PATH"], SAGA_PORT: "42000" };
    const [result] = await runChecks(["env"], newPlace({ env }));
    const names = result?.tail.split("\n").map((line) => line.split("=")[0]);
    expect(names?.filter((name) => !["PWD", "SHLVL", "_", "OLDPWD"].includes(name ?? ""))).toEqual(
      expect.arrayContaining(["PATH", "SAGA_PORT"]),
    );
    expect(names).not.toContain("HOME");
  });

  it("cannot wait for an answer from a person", async () => {
    const [result] = await runChecks(["read answer"], newPlace());
    expect(result).toMatchObject({ isPassed: false, how: "exit 1" });
  });

  it("that do not end are ended, with all that they started", async () => {
    const place = newPlace({ timeoutMs: 1000 });
    const [result] = await runChecks(["sleep 1000 & echo $!; wait"], place);
    expect(result).toMatchObject({ isPassed: false, how: "no end within 1 s" });
    expect(Number(result?.tail)).toBeGreaterThan(0);
    await expect.poll(() => startTimeOf(Number(result?.tail))).toBeUndefined();
  });

  it("that are killed say by what", async () => {
    expect(await runChecks(["kill -KILL $$"], newPlace())).toMatchObject([
      { isPassed: false, how: "ended by SIGKILL" },
    ]);
  });

  it("that cannot be run at all have failed", async () => {
    const place = newPlace();
    expect(await runChecks(["true"], { ...place, cwd: join(place.cwd, "none") })).toMatchObject([
      { isPassed: false, how: "no shell to run it" },
    ]);
  });

  it("that print much show the end of it", async () => {
    const [result] = await runChecks(["seq 1 100000; echo last"], newPlace());
    expect(result?.tail).toHaveLength(4000);
    expect(result?.tail.endsWith("100000\nlast")).toBe(true);
  });
});
