import { describe, expect, it } from "vitest";
import { aStory, newFolder, newProject } from "../../../test/support/project.ts";
import { newRedactor } from "../../machine/files/redact.ts";
import { openStore } from "../file-store.ts";
import { startRecording } from "./run-recorder.ts";
import { recordStartCommit, readStartCommit } from "./start-commit.ts";

const [FIRST, SECOND] = ["a".repeat(40), "b".repeat(40)] as const;

function newStory() {
  const project = newProject();
  for (const id of ["one", "two"]) project.write(`.saga/stories/${id}/story.json`, aStory(id));
  let nowMs = Date.UTC(2026, 10, 15);
  const store = openStore(project.path, () => (nowMs += 1000));
  const env = { HOME: newFolder("home").path };
  const start = async (commit?: string, storyId = "one") => {
    const log = await store.startRun(storyId);
    const record = startRecording(log, Date.now, () => undefined, newRedactor([]));
    if (commit !== undefined) recordStartCommit(record, commit, env);
    record.update({ endedAt: new Date(nowMs).toISOString() });
    record.close();
    return record;
  };
  return { store, env, start, read: (storyId = "one") => readStartCommit({ store, env }, storyId) };
}

describe("the commit that a story was started from", () => {
  it("stays the first one", async () => {
    const { start, read } = newStory();
    expect(await read()).toBeUndefined();
    await start(FIRST);
    await start(SECOND);
    expect(await read()).toBe(FIRST);
  });

  it("changes when the story is discarded and started again", async () => {
    const { start, read } = newStory();
    (await start(FIRST)).update({ discardedAt: "2026-11-15T00:00:00.000Z" });
    await start(SECOND);
    expect(await read()).toBe(SECOND);
  });

  it("is not read from a record that another program wrote or copied", async () => {
    const { start, read } = newStory();
    const mark = (await start(FIRST)).run().start;
    (await start(undefined, "two")).update({ start: mark });
    expect(await read("two")).toBeUndefined();
    const forged = { commit: SECOND, seal: mark?.seal ?? "" };
    (await start(undefined, "two")).update({ start: forged });
    expect(await read("two")).toBeUndefined();
  });

  it("is not deleted with the oldest runs", async () => {
    const { store, start, read } = newStory();
    await start(FIRST);
    for (let turn = 0; turn < 5; turn++) await start();
    await store.pruneRuns("one", 2);
    expect(await store.listRuns("one")).toHaveLength(3);
    expect(await read()).toBe(FIRST);
  });
});
