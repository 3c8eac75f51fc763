// Real file systems that are full or read-only.

import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { canMount, fill, makeReadOnly, mounted } from "../support/disk.ts";
import { aStory, aTask, anEpic, snapshot } from "../support/project.ts";
import { saga } from "../support/programs.ts";

const PLAN = JSON.stringify({
  epics: [anEpic("shop", [])],
  stories: Array.from({ length: 20 }, (_, at) => ({
    ...aStory(`shop--part-${at}`, { guidance: "x".repeat(3000) }),
    tasks: [aTask("do-it")],
  })),
});

describe.runIf(canMount)("a full disk", () => {
  it.each([8, 16, 32, 48, 64])(
    "with %i kB left refuses the whole plan with a message, and keeps every file",
    async (leftKb) => {
      const path = mounted(256);
      await saga(path, ["init"]);
      await saga(path, ["new", "story", "before", "-d", "Here first."]);
      fill(path, leftKb);
      const before = snapshot(join(path, ".saga"));

      const refused = await saga(path, ["stage", "--json"], PLAN);
      expect(refused.exitCode).toBe(1);
      expect(JSON.parse(refused.stdout)).toMatchObject({
        error: {
          code: "disk-full",
          message: expect.stringContaining("the disk is full") as string,
        },
      });
      expect(snapshot(join(path, ".saga"))).toBe(before);
      expect(readdirSync(join(path, ".saga"))).not.toContain("transaction");

      execFileSync("rm", [join(path, "filler")]);
      expect((await saga(path, ["validate"])).exitCode).toBe(0);
    },
  );
});

describe.runIf(canMount)("a disk without room for another file", () => {
  it.each([14, 16, 18, 20, 24, 30, 40, 60, 80])(
    "of %i in all applies a plan completely or not at all, and stays readable",
    async (inodes) => {
      const path = mounted(4096, `,nr_inodes=${inodes}`);
      await saga(path, ["init"]);
      const before = snapshot(join(path, ".saga"));
      const { exitCode } = await saga(path, ["stage", "--json"], PLAN);
      expect((await saga(path, ["validate"])).exitCode).toBe(0);
      const { stories } = JSON.parse((await saga(path, ["list", "--json"])).stdout) as {
        stories: unknown[];
      };
      expect([exitCode, stories.length]).toEqual(exitCode === 0 ? [0, 20] : [1, 0]);
      expect(snapshot(join(path, ".saga")) === before).toBe(exitCode !== 0);
    },
  );
});

describe.runIf(canMount)("a read-only disk", () => {
  it("can be read, and every change is refused with a message", async () => {
    const path = mounted(256);
    await saga(path, ["init"]);
    await saga(path, ["new", "story", "before", "-d", "Here first."]);
    makeReadOnly(path);
    const before = snapshot(join(path, ".saga"));

    for (const words of [
      ["list"],
      ["show", "before"],
      ["validate"],
      ["journal", "before"],
      ["config"],
    ]) {
      expect(await saga(path, words)).toMatchObject({ exitCode: 0, stderr: "" });
    }
    for (const words of [
      ["new", "story", "after", "-d", "x"],
      ["new", "task", "before", "first", "-d", "x"],
      ["journal", "before", "--decision", "x"],
      ["config", "set", "size.max_files", "3"],
    ]) {
      const refused = await saga(path, words);
      expect(refused.exitCode, words.join(" ")).toBe(1);
      expect(refused.stderr).toMatch(/: permission denied\.\n.*read-only/);
    }
    expect(snapshot(join(path, ".saga"))).toBe(before);
  });
});
