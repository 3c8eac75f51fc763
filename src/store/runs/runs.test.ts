import { appendFileSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { aStory, newProject, type Project } from "../../../test/support/project.ts";
import { openStore } from "../file-store.ts";
import type { Store } from "../store.ts";

const at = "2026-11-15T12:00:00.000Z";

describe("a run", () => {
  it("is recorded when it starts, and each change is on disk at once", async () => {
    const { store } = withStory();
    const log = await store.startRun("one", { session: "saga-story-one-1" });
    expect(await store.listRuns("one")).toMatchObject([
      { story: "one", session: "saga-story-one-1" },
    ]);
    log.update({ outcome: "failed", reason: "No login.", endedAt: at });
    log.close();
    expect(await store.listRuns("one")).toMatchObject([{ outcome: "failed", reason: "No login." }]);
  });

  it("comes first in the list when it is the newest", async () => {
    const project = withStory().project;
    let now = Date.parse(at);
    const store = openStore(project.path, () => (now += 1000));
    const ids = [];
    for (let count = 0; count < 3; count++) {
      const log = await store.startRun("one");
      ids.push(log.run.id);
      log.close();
    }
    expect((await store.listRuns("one")).map((run) => run.id)).toEqual(ids.toReversed());
  });

  it("comes first in the list although the clock was set back, or an hour ahead, since the last run", async () => {
    const { project } = withStory();
    const start = async (nowMs: number) => {
      const log = await openStore(project.path, () => nowMs).startRun("one");
      log.close();
      return log.run;
    };
    const now = Date.parse(at);
    const ids = [];
    for (const nowMs of [now, now + 3600_000, now, now - 60_000]) ids.push((await start(nowMs)).id);
    const listed = async () => (await openStore(project.path).listRuns("one")).map(({ id }) => id);
    expect(await listed()).toEqual(ids.toReversed());
    expect((await start(now)).startedAt).toBe(at);
    // Too far ahead for any clock: the next run is not dated after it.
    const far = "99991231T235959999Z-ffffff";
    project.write(`.saga/runs/one/${far}/run.json`, { id: far, story: "one", startedAt: at });
    project.write(".saga/runs/one/20269999T999999999Z-ffffff/run.json", "{}");
    expect((await start(now)).id < far).toBe(true);
    const merged = openStore(project.path).startRun("one", { outcome: "merged" });
    await expect(merged).resolves.toMatchObject({ run: { outcome: "merged" } });
    (await merged).close();
  });

  it("keeps its events in order, and a reader continues where it stopped", async () => {
    const { store } = withStory();
    const log = await store.startRun("one");
    log.append({ at, type: "first" });
    const page = await store.readEvents("one", log.run.id);
    log.append({ at, type: "second", text: "ü\n" }, { isDurable: true });
    log.close();
    expect(page.events).toMatchObject([{ type: "first" }]);
    const next = await store.readEvents("one", log.run.id, page.nextOffset);
    expect(next.events).toMatchObject([{ type: "second", text: "ü\n" }]);
    expect((await store.readEvents("one", log.run.id, next.nextOffset)).events).toEqual([]);
  });

  it("skips a last line that is incomplete, and reads it once it is complete", async () => {
    const { store, project } = withStory();
    const log = await store.startRun("one");
    log.append({ at, type: "whole" });
    log.close();
    const file = eventsFile(project, log.run.id);
    appendFileSync(file, `{"at":"${at}","type":"la`);
    const page = await store.readEvents("one", log.run.id);
    expect(page).toMatchObject({ events: [{ type: "whole" }], skipped: 0 });
    appendFileSync(file, 'te"}\n');
    const next = await store.readEvents("one", log.run.id, page.nextOffset);
    expect(next.events).toMatchObject([{ type: "late" }]);
  });

  it("continues on a new line after a crash", async () => {
    const { store, project } = withStory();
    const log = await store.startRun("one");
    log.close();
    appendFileSync(eventsFile(project, log.run.id), '{"at":"2026');
    const again = await store.openRun(log.run);
    again.append({ at, type: "after" });
    again.close();
    const page = await store.readEvents("one", log.run.id);
    expect(page).toMatchObject({ events: [{ type: "after" }], skipped: 1 });
    expect(readFileSync(eventsFile(project, log.run.id), "utf8")).toMatch(/^\{"at":"2026\n\{/);
  });

  it("that is unreadable does not hide the others", async () => {
    const { store, project } = withStory();
    const log = await store.startRun("one");
    log.close();
    project.write(".saga/runs/one/20260101T000000000Z-abcd/run.json", "{");
    expect(await store.listRuns("one")).toHaveLength(1);
  });

  it("that does not exist has no events, and an id that is a path is refused", async () => {
    const { store } = withStory();
    const missing = await store.readEvents("one", "20260101T000000000Z-abcd");
    expect(missing.events).toEqual([]);
    await expect(store.readEvents("one", "../../config.toml")).rejects.toThrow(
      /not the id of a run/,
    );
  });
});

function withStory(): { store: Store; project: Project } {
  const project = newProject();
  project.write(".saga/stories/one/story.json", aStory("one"));
  return { project, store: openStore(project.path) };
}

const eventsFile = (project: Project, runId: string): string =>
  join(project.path, ".saga/runs/one", runId, "events.jsonl");

it("deletes the oldest runs, but none without an end", async () => {
  const project = newProject();
  project.write(".saga/stories/one/story.json", aStory("one"));
  let nowMs = Date.UTC(2026, 10, 15);
  const store = openStore(project.path, () => (nowMs += 1000));
  const ids: string[] = [];
  for (let turn = 0; turn < 5; turn++) {
    const log = await store.startRun("one");
    ids.push(log.run.id);
    if (turn !== 1) log.update({ endedAt: new Date(nowMs).toISOString(), outcome: "done" });
    log.close();
  }
  await store.pruneRuns("one", 2);
  const left = (await store.listRuns("one")).map(({ id }) => id);
  expect(left).toEqual([ids[4], ids[3], ids[1]]);
});

it("deletes half-written files of killed writers", async () => {
  const { project, store } = withStory();
  const log = await store.startRun("one");
  log.close();
  const own = `.saga/runs/one/${log.run.id}`;
  project.write(`${own}/.run.json.h88ruzdw9ar.tmp`, "{");
  const [date = ""] = log.run.id.split("-");
  project.write(`.saga/runs/one/${date}-000000/.run.json.4kd93ls0a.tmp`, "{");
  await store.pruneRuns("one", 5);
  expect(readdirSync(join(project.path, ".saga/runs/one"))).toEqual([log.run.id]);
  expect(readdirSync(join(project.path, own)).toSorted()).toEqual(["events.jsonl", "run.json"]);
});
