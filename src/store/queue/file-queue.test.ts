import { existsSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newFolder } from "../../../test/support/project.ts";
import { describeQueue } from "../../../test/support/queue-contract.ts";
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

describeQueue("files", async () => {
  const at = layoutOf(newFolder().path);
  let nowMs = Date.parse("2026-01-01T00:00:00Z");
  const open = () => openQueue(at, () => nowMs++);
  return { queue: open(), other: open(), lane: LANE, land: async () => async () => undefined };
});

describe("a lane of files", () => {
  it("keeps that order when the clock stands still or was set back", async () => {
    const { path: project } = newFolder();
    let nowMs = 1_000;
    const queue = openQueue(layoutOf(project), () => nowMs--);
    for (let at = 0; at < 20; at++) await queue.enqueue(story(`s${at}`));
    expect((await queue.list(LANE)).map(({ name }) => name)).toEqual(
      Array.from({ length: 20 }, (_, at) => `s${at}`),
    );
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
