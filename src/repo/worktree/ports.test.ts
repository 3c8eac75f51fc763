import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newFolder } from "../../../test/support/project.ts";
import { startTimeOf, thisProcess } from "../../machine/processes/process-id.ts";
import { claimPorts } from "./ports.ts";

const ROW = { first: 42_000, count: 10 };

/** As a worker would leave it that has ended. */
function abandon(commonDir: string, storyId: string, first: number): void {
  const pid = Number(execFileSync("sh", ["-c", "echo $$"], { encoding: "utf8" }));
  const owner = { ...thisProcess(), pid };
  const claim = { storyId, first, count: ROW.count, owner };
  writeFileSync(join(commonDir, "saga/ports", `${first}.json`), JSON.stringify(claim));
}

describe("the ports of a story", () => {
  it("are its own, and stay the same when claimed again", async () => {
    const { path: commonDir } = newFolder();
    const claim = (storyId: string) => claimPorts({ commonDir, storyId, ...ROW });
    expect(await claim("one")).toEqual({ first: 42_000, count: 10 });
    expect(await claim("two")).toEqual({ first: 42_010, count: 10 });
    expect(await claim("one")).toEqual({ first: 42_000, count: 10 });
    expect(readdirSync(join(commonDir, "saga/ports"))).toEqual(["42000.json", "42010.json"]);
  });

  it("stay claimed by a living worker when another process of the story asks for them", async () => {
    const { path: commonDir } = newFolder();
    await claimPorts({ commonDir, storyId: "one", ...ROW });
    const file = join(commonDir, "saga/ports/42000.json");
    const startTime = startTimeOf(process.ppid) ?? "";
    const owner = { ...thisProcess(), pid: process.ppid, startTime };
    const worker = JSON.stringify({ storyId: "one", ...ROW, owner });
    writeFileSync(file, worker);
    expect(await claimPorts({ commonDir, storyId: "one", ...ROW })).toEqual(ROW);
    expect(readFileSync(file, "utf8")).toBe(worker);
  });

  it("never overlap, however many claim at once", async () => {
    const { path: commonDir } = newFolder();
    const stories = Array.from({ length: 20 }, (_, at) => `story-${at}`);
    const claims = stories.map((storyId) => claimPorts({ commonDir, storyId, ...ROW }));
    const ranges = await Promise.all(claims);
    expect(new Set(ranges.map(({ first }) => first)).size).toBe(20);
  });

  it("stay the story's while its worker lives, and are free afterwards", async () => {
    const { path: commonDir } = newFolder();
    const claim = (storyId: string) => claimPorts({ commonDir, storyId, ...ROW });
    await claim("one");
    abandon(commonDir, "one", 42_000);
    expect((await claim("one")).first).toBe(42_000);
    abandon(commonDir, "one", 42_000);
    expect((await claim("two")).first).toBe(42_000);
    expect((await claim("one")).first).toBe(42_010);
  });

  it("do not overlap when the settings have changed", async () => {
    const { path: commonDir } = newFolder();
    await claimPorts({ commonDir, storyId: "one", first: 42_005, count: 10 });
    const two = await claimPorts({ commonDir, storyId: "two", ...ROW });
    expect(two.first).toBe(42_020);
  });

  it("never exceed the last port", async () => {
    const { path: commonDir } = newFolder();
    const claim = (storyId: string) => claimPorts({ commonDir, storyId, first: 65_520, count: 10 });
    await claim("one");
    await expect(claim("two")).rejects.toThrow("no range of 10 ports is free");
  });
});
