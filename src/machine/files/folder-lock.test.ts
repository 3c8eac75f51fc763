import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newFolder } from "../../../test/support/project.ts";
import { startTimeOf, thisProcess, type ProcessId } from "../processes/process-id.ts";
import { withLock } from "./folder-lock.ts";

/** The lock file of a process that is, or seems to be, alive. */
function putTurn(folder: string, more: Partial<ProcessId>): string {
  const { pid, startTime, bootId, place } = { ...thisProcess(), ...more };
  const plain = (part: string): string => part.replaceAll(/[^A-Za-z0-9]/g, "");
  const parts = [pid, plain(startTime), plain(bootId).slice(0, 12), plain(place), "x"];
  const file = join(folder, `.write.${parts.join(".")}.tmp`);
  writeFileSync(file, "");
  return file;
}

describe("a lock", () => {
  it("leaves only the file that was moved into place", async () => {
    const { path } = newFolder();
    const folder = join(path, "not", "there", "yet");
    const result = await withLock(folder, (turn) => {
      turn.write("content");
      renameSync(turn.file, join(folder, "result"));
      return 7;
    });
    expect(result).toBe(7);
    expect(readdirSync(folder)).toEqual(["result"]);
    expect(readFileSync(join(folder, "result"), "utf8")).toBe("content");
  });

  it("leaves nothing when its action fails", async () => {
    const { path } = newFolder();
    const failing = withLock(path, (turn) => {
      turn.write("content");
      throw new Error("no");
    });
    await expect(failing).rejects.toThrow("no");
    expect(readdirSync(path)).toEqual([]);
  });

  it("waits until a living owner ends", async () => {
    const { path } = newFolder();
    const other = spawn("sleep", ["1000"]);
    await once(other, "spawn");
    const pid = other.pid ?? 0;
    putTurn(path, { pid, startTime: startTimeOf(pid) ?? "" });
    let isOver = false;
    // The first attempt is made before it returns.
    const turn = withLock(path, () => isOver);
    isOver = other.kill("SIGKILL");
    expect(await turn).toBe(true);
    expect(readdirSync(path)).toEqual([]);
  });

  it.each([
    ["has died", { startTime: "0" }],
    ["was there before the machine was restarted", { bootId: "before" }],
  ])("does not wait for a process that %s", async (_, more) => {
    const { path } = newFolder();
    putTurn(path, more);
    await withLock(path, () => true);
    expect(readdirSync(path)).toEqual([]);
  });

  it("does not wait for an owner elsewhere whose lock is old", async () => {
    const { path } = newFolder();
    const longAgo = new Date(Date.now() - 60_000);
    utimesSync(putTurn(path, { place: "else/where" }), longAgo, longAgo);
    await withLock(path, () => true);
    expect(readdirSync(path)).toEqual([]);
  });

  it("commits nothing after it was removed, and is taken again", async () => {
    const { path } = newFolder();
    let turns = 0;
    await withLock(path, (turn) => {
      // Like another process that takes this one for dead.
      if (++turns === 1) rmSync(turn.file);
      turn.write(`content ${turns}`);
      renameSync(turn.file, join(path, "result"));
      return true;
    });
    expect(turns).toBe(2);
    expect(readFileSync(join(path, "result"), "utf8")).toBe("content 2");
  });
});
