import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newProject, type Project } from "../../../test/support/project.ts";
import { listNames } from "../../machine/files/files.ts";
import { thisProcess } from "../../machine/processes/process-id.ts";
import { IGNORED, layoutOf } from "../project/layout.ts";
import { claimNotification, pruneSentLog, type NotificationClaim } from "./sent-log.ts";

const NOW = Date.parse("2026-11-15T12:00:00Z");
const now = (): number => NOW;
const WAYS = ["bell", "webhook"];

const claim = (
  { path }: Project,
  key = "k",
  channels = WAYS,
): Promise<NotificationClaim | undefined> =>
  claimNotification(layoutOf(path), key, { channels, now });

/** The folder of the only notification. */
function folderIn(project: Project): string {
  const [name = ""] = readdirSync(join(project.path, ".saga/notices"));
  return join(project.path, ".saga/notices", name);
}

describe("a notification", () => {
  it("is claimed by one process at a time", async () => {
    const project = newProject();
    expect((await claim(project))?.open).toEqual(WAYS);
    expect(await claim(project)).toBeUndefined();
    expect(await claim(project, "another")).toBeDefined();
  });

  it("that was sent is not claimed again", async () => {
    const project = newProject();
    const mine = await claim(project);
    for (const channel of WAYS) mine?.noteSent(channel);
    await mine?.release();
    expect(await claim(project)).toBeUndefined();
  });

  it("that another process sends between the read and the claim is not sent again", async () => {
    const project = newProject();
    let isFirst = true;
    const meanwhile = (): number => {
      if (isFirst) {
        isFirst = false;
        const record = { sent: WAYS, failures: {} };
        writeFileSync(join(folderIn(project), "sent.json"), JSON.stringify(record));
      }
      return NOW;
    };
    const at = layoutOf(project.path);
    expect(await claimNotification(at, "k", { channels: WAYS, now: meanwhile })).toBeUndefined();
    expect(isFirst).toBe(false);
    // And the process that was too late does not hold it.
    expect(await claim(project, "k", ["desktop"])).toBeDefined();
  });

  it("can be claimed again for the channels that are left", async () => {
    const project = newProject();
    const mine = await claim(project, "k", ["webhook"]);
    mine?.noteSent("webhook");
    await mine?.release();
    expect(await claim(project, "k", ["webhook"])).toBeUndefined();
    expect((await claim(project))?.open).toEqual(["bell"]);
  });

  it("that could not be sent is tried three times in all", async () => {
    const project = newProject();
    for (let round = 0; round < 3; round++) {
      const mine = await claim(project);
      expect(mine?.open).toContain("webhook");
      if (round === 0) mine?.noteSent("bell");
      mine?.noteFailed("webhook");
      await mine?.release();
    }
    expect(await claim(project)).toBeUndefined();
  });

  it("whose sender died can be claimed by the next process", async () => {
    const project = newProject();
    await claim(project);
    const { pid } = spawnSync("true");
    const lease = { owner: "x", takenAt: "x", expiresAt: "x" };
    const file = join(folderIn(project), "1.json");
    writeFileSync(file, JSON.stringify({ ...thisProcess(), ...lease, pid }));
    expect((await claim(project))?.open).toEqual(WAYS);
    expect(await claim(project)).toBeUndefined();
  });

  it("without channels leaves no file", async () => {
    const project = newProject();
    expect(await claim(project, "k", [])).toBeUndefined();
    expect(readdirSync(join(project.path, ".saga"))).toEqual(["config.toml"]);
  });

  it.each(["", "{", "null", "[]", '{"said":"bell"}', '{"said":[],"failures":null}'])(
    "whose record is %j is sent again rather than never",
    async (text) => {
      const project = newProject();
      await (await claim(project))?.release();
      writeFileSync(join(folderIn(project), "sent.json"), text);
      expect((await claim(project))?.open).toEqual(WAYS);
    },
  );

  it.each(["../../../out", "a/b\0c", "x".repeat(10_000), "", "ü\n"])(
    "may have any key, and stays in its folder: %j",
    async (key) => {
      const project = newProject();
      expect(await claim(project, key)).toBeDefined();
      expect(folderIn(project)).toMatch(/\/\.saga\/notices\/[0-9a-f]{32}$/);
    },
  );

  it("is ignored by git", async () => {
    expect(IGNORED).toContain("notices/");
  });
});

describe("the log", () => {
  it("deletes the oldest entries, but none that is being sent", async () => {
    const project = newProject();
    const at = layoutOf(project.path);
    const folders: string[] = [];
    for (const [age, key] of ["a", "b", "c", "d"].entries()) {
      const before = new Set(namesIn(project));
      const mine = await claim(project, key);
      mine?.noteSent("bell");
      if (key !== "a") await mine?.release();
      const name = namesIn(project).find((one) => !before.has(one)) ?? "";
      utimesSync(join(project.path, ".saga/notices", name), age, age);
      folders.push(name);
    }
    await pruneSentLog(at, NOW, 4);
    expect(namesIn(project)).toHaveLength(4);
    await pruneSentLog(at, NOW, 2);
    const [a = "", , c = "", d = ""] = folders;
    expect(namesIn(project).toSorted()).toEqual([a, c, d].toSorted());
  });

  it("deletes nothing else", async () => {
    const project = newProject();
    mkdirSync(join(project.path, ".saga/notices/my photos"), { recursive: true });
    project.write(".saga/notices/letter", "dear");
    await pruneSentLog(layoutOf(project.path), NOW, 0);
    expect(namesIn(project)).toEqual(["letter", "my photos"]);
  });

  it("does nothing in a project without notifications", async () => {
    const project = newProject();
    await pruneSentLog(layoutOf(project.path), NOW, 0);
    expect(namesIn(project)).toEqual([]);
  });
});

const namesIn = ({ path }: Project): string[] => listNames(join(path, ".saga/notices"));
