import { existsSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newFolder } from "../../../test/support/project.ts";
import type { Lane } from "../../story/landing/entry.ts";
import { layoutOf } from "../project/layout.ts";
import { openQueue } from "./file-queue.ts";

const LANE: Lane = { branch: "epic/reminders", place: "here" };
const story = (name: string) => ({
  kind: "story" as const,
  name,
  lane: LANE,
  priority: 2,
  by: "saga merge",
  after: [],
  checks: [],
});

function newQueue() {
  const { path: project } = newFolder();
  let nowMs = Date.parse("2026-01-01T00:00:00Z");
  const queue = openQueue(layoutOf(project), () => nowMs++);
  const folder = join(project, ".saga/queue/here.epic%2Freminders");
  return { queue, folder, project };
}

describe("the queue of a lane", () => {
  it("has the entries in the order of their arrival", async () => {
    const { queue } = newQueue();
    for (const name of ["b", "a", "c"]) await queue.enqueue(story(name));
    expect((await queue.list(LANE)).map(({ name }) => name)).toEqual(["b", "a", "c"]);
    expect(await queue.lanes()).toEqual([LANE]);
    expect(await queue.list({ branch: "main", place: "here" })).toEqual([]);
  });

  it("keeps that order when the clock stands still or was set back", async () => {
    const { path: project } = newFolder();
    let nowMs = 1_000;
    const queue = openQueue(layoutOf(project), () => nowMs--);
    for (let at = 0; at < 20; at++) await queue.enqueue(story(`s${at}`));
    expect((await queue.list(LANE)).map(({ name }) => name)).toEqual(
      Array.from({ length: 20 }, (_, at) => `s${at}`),
    );
  });

  it("has one entry for a story that is put in it twice", async () => {
    const { queue } = newQueue();
    const first = await queue.enqueue(story("a"));
    expect(await queue.enqueue(story("a"))).toEqual(first);
    expect(await queue.list(LANE)).toHaveLength(1);
  });

  it("keeps the outcome of a settled entry for those who wait", async () => {
    const { queue } = newQueue();
    const entry = await queue.enqueue(story("a"));
    expect(await queue.outcome(entry)).toBeUndefined();
    await queue.settle(entry, { kind: "merged" });
    expect(await queue.outcome(entry)).toEqual({ value: { kind: "merged" } });
    expect(await queue.list(LANE)).toEqual([]);
  });

  it("forgets outcomes after a day", async () => {
    const { queue, folder } = newQueue();
    const entry = await queue.enqueue(story("a"));
    await queue.settle(entry, {});
    const old = new Date("2025-12-30T00:00:00Z");
    utimesSync(join(folder, `${entry.id}.done`), old, old);
    await queue.settle(await queue.enqueue(story("b")), {});
    expect(existsSync(join(folder, `${entry.id}.done`))).toBe(false);
  });

  it("shows who holds an entry, until it is released", async () => {
    const { queue } = newQueue();
    const entry = await queue.enqueue(story("a"));
    expect(await queue.setHold(entry, "root")).toBe(true);
    expect(await queue.list(LANE)).toMatchObject([{ heldBy: "root" }]);
    await queue.setHold(entry, undefined);
    expect((await queue.list(LANE))[0]).not.toHaveProperty("heldBy");
  });

  it("cannot hold an entry that is settled, and so never brings it back", async () => {
    const { queue } = newQueue();
    const entry = await queue.enqueue(story("a"));
    await queue.settle(entry, {});
    expect(await queue.setHold(entry, "root")).toBe(false);
    expect(await queue.list(LANE)).toEqual([]);
  });

  it("does not take an outcome for final while its entry waits: its lander was killed", async () => {
    const { queue, folder } = newQueue();
    const entry = await queue.enqueue(story("a"));
    writeFileSync(join(folder, `${entry.id}.done`), "{}");
    expect(await queue.outcome(entry)).toBeUndefined();
  });

  it("reads over files that are not entries", async () => {
    const { queue, folder } = newQueue();
    await queue.enqueue(story("a"));
    writeFileSync(join(folder, "1767225600000-00000000.json"), '{"name":"../../x"');
    writeFileSync(join(folder, "notes.txt"), "");
    expect(await queue.list(LANE)).toHaveLength(1);
  });

  it("is not part of git, also where the project's .gitignore is older", async () => {
    const { queue, project } = newQueue();
    await queue.enqueue(story("a"));
    expect(readdirSync(join(project, ".saga/queue"))).toContain(".gitignore");
  });

  it("wakes those who wait when an entry is settled", async () => {
    const { queue } = newQueue();
    const entry = await queue.enqueue(story("a"));
    const watch = queue.watch(LANE);
    const waiting = watch.next(60_000);
    await queue.settle(entry, {});
    await waiting;
    expect(await queue.outcome(entry)).toBeDefined();
    watch.close();
  });

  it("wakes none of them while nothing changes", async () => {
    const { queue } = newQueue();
    await queue.enqueue(story("a"));
    const watch = queue.watch(LANE);
    const from = performance.now();
    await watch.next(500);
    expect(performance.now() - from).toBeGreaterThan(450);
    watch.close();
  });
});
