import { existsSync, readdirSync, rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { projectWith } from "../../../test/support/one-story.ts";
import { snapshot, aStory, aTask, type Project } from "../../../test/support/project.ts";
import { thisProcess } from "../../machine/processes/process-id.ts";
import { openStore } from "../file-store.ts";
import { layoutOf } from "../project/layout.ts";
import { commit } from "./transaction.ts";
import { withProjectLock } from "./write-lock.ts";

const withStory = (): Project => projectWith(aStory("one"), aTask("first"));

describe("the write lock", () => {
  it("lets writers of one process take turns", async () => {
    const at = layoutOf(withStory().path);
    const order: string[] = [];
    await Promise.all(
      ["a", "b", "c"].map((name) =>
        withProjectLock(
          at,
          () => [],
          () => order.push(name, name),
        ),
      ),
    );
    expect(order.join("")).toMatch(/^(?:aa|bb|cc){3}$/);
  });

  it("is released when the work in it fails", async () => {
    const at = layoutOf(withStory().path);
    const failing = withProjectLock(
      at,
      () => [],
      () => {
        throw new Error("no");
      },
    );
    await expect(failing).rejects.toThrow("no");
    expect(
      await withProjectLock(
        at,
        () => [],
        () => "again",
      ),
    ).toBe("again");
  });
});

describe("a lock file", () => {
  const at = thisProcess();
  const inName = (text: string): string => text.replaceAll(/[^A-Za-z0-9]/g, "");
  const lockOf = (pid: number, startTime: string, boot = at.bootId, place = at.place): string =>
    `.saga/stories/one/.write.${pid}.${startTime}.${inName(boot).slice(0, 12)}.${inName(place)}.x1.tmp`;

  it.each([
    ["a dead process", lockOf(4_194_304, at.startTime)],
    ["a process whose pid was reused", lockOf(at.pid, "1")],
    ["a process from before the restart", lockOf(at.pid, at.startTime, "before")],
  ])("of %s is removed", async (_, name) => {
    const project = withStory();
    project.write(name, "half a fi");
    await openStore(project.path).updateStory("one", (fields) => ({ ...fields, priority: 1 }));
    expect(readdirSync(join(project.path, ".saga/stories/one")).toSorted()).toEqual([
      "first.json",
      "story.json",
    ]);
  });

  it("of a process on another machine is respected while it is young, and removed when it is old", async () => {
    const project = withStory();
    const file = project.write(lockOf(1, "1", at.bootId, "elsewhere"), "");
    const updating = openStore(project.path).updateStory("one", (fields) => ({
      ...fields,
      priority: 1,
    }));
    const first = await Promise.race([
      updating,
      new Promise((done) => setTimeout(done, 100, "waits")),
    ]);
    expect(first).toBe("waits");
    const old = Date.now() / 1000 - 3600;
    utimesSync(file, old, old);
    await updating;
    expect(existsSync(file)).toBe(false);
  });

  it("that was removed prevents its writer from committing", async () => {
    const project = withStory();
    const before = snapshot(project.path);
    const path = join(project.path, ".saga/stories/one/story.json");
    for (const changes of [
      [{ path, text: "{}" }],
      [
        { path, text: "{}" },
        { path, text: "{}" },
      ],
    ]) {
      const committing = withProjectLock(
        layoutOf(project.path),
        () => [],
        (lock) => {
          rmSync(lock.file);
          commit(lock, changes);
        },
      );
      await expect(committing).rejects.toMatchObject({ code: "in-use" });
    }
    expect(snapshot(project.path)).toBe(before);
  });
});
