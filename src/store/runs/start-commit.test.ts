import { describe, expect, it } from "vitest";
import { aStory, newFolder, newProject } from "../../../test/support/project.ts";
import { newRedactor } from "../../machine/files/redact.ts";
import { openStore } from "../file-store.ts";
import { keepRecord } from "./run-recorder.ts";
import { markStart, readStart } from "./start-commit.ts";

const [FIRST, SECOND] = ["a".repeat(40), "b".repeat(40)] as const;

function newStory() {
  const project = newProject();
  for (const id of ["one", "two"]) project.write(`.saga/stories/${id}/story.json`, aStory(id));
  let nowMs = Date.UTC(2026, 10, 15);
  const store = openStore(project.path, () => (nowMs += 1000));
  const env = { HOME: newFolder("home").path };
  const start = async (commit?: string, storyId = "one") => {
    const log = await store.startRun(storyId);
    const record = keepRecord(log, Date.now, () => undefined, newRedactor([]));
    if (commit !== undefined) markStart(record, commit, env);
    record.update({ endedAt: new Date(nowMs).toISOString() });
    record.close();
    return record;
  };
  return { store, env, start, read: (storyId = "one") => readStart({ store, env }, storyId) };
}

describe("the commit that a story was started with", () => {
  it("is known, and stays the first", async () => {
    const { start, read } = newStory();
    expect(await read()).toBeUndefined();
    await start(FIRST);
    await start(SECOND);
    expect(await read()).toBe(FIRST);
  });

  it("is another when the story was discarded and begun anew", async () => {
    const { start, read } = newStory();
    (await start(FIRST)).update({ discardedAt: "2026-11-15T00:00:00.000Z" });
    await start(SECOND);
    expect(await read()).toBe(SECOND);
  });

  it("is not what a program wrote, or copied from another run or story", async () => {
    const { start, read } = newStory();
    const mark = (await start(FIRST)).run().start;
    (await start(undefined, "two")).update({ start: mark });
    expect(await read("two")).toBeUndefined();
    const forged = { commit: SECOND, seal: mark?.seal ?? "" };
    (await start(undefined, "two")).update({ start: forged });
    expect(await read("two")).toBeUndefined();
  });

  it("is not forgotten with the oldest runs", async () => {
    const { store, start, read } = newStory();
    await start(FIRST);
    for (let turn = 0; turn < 5; turn++) await start();
    await store.pruneRuns("one", 2);
    expect(await store.listRuns("one")).toHaveLength(3);
    expect(await read()).toBe(FIRST);
  });
});
