import { describe, expect, it } from "vitest";
import { aStory, newProject } from "../../../test/support/project.ts";
import { thisProcess } from "../../machine/processes/process-id.ts";
import { openStore } from "../file-store.ts";
import type { RunEvent } from "../../story/state/run.ts";
import { newRedactor } from "../../machine/files/redact.ts";
import { localDay } from "../../text/local-day.ts";
import { startRecording } from "./run-recorder.ts";

const NOW = Date.UTC(2026, 10, 15, 12);
const at = "2026-11-15T12:00:00.000Z";

async function newRecord() {
  const project = newProject();
  project.write(".saga/stories/one/story.json", aStory("one"));
  const store = openStore(project.path);
  const printed: RunEvent[] = [];
  const log = await store.startRun("one");
  const record = startRecording(
    log,
    () => NOW,
    (event) => void printed.push(event),
    newRedactor(["not-for-the-log"]),
  );
  const events = async () => (await store.readEvents("one", log.run.id)).events;
  return { store, record, printed, events };
}

describe("a record", () => {
  it("adds a cost to the day on which it arises, also when an estimate is corrected", async () => {
    const { record } = await newRecord();
    const costs = [0.5, 0.75, 0.7];
    for (const costUsd of costs) record.update({ costUsd });
    expect(record.run()).toMatchObject({ costUsd: 0.7, costByDay: { [localDay(NOW)]: 0.7 } });
    record.update({ cycles: 2 });
    expect(record.run().costByDay).toEqual({ [localDay(NOW)]: 0.7 });
  });

  it("stores every event with its time, and prints it", async () => {
    const { record, printed, events } = await newRecord();
    record.note({ type: "task.passed", task: "form" }, { isDurable: true });
    record.warn("Careful.");
    record.close();
    const expected = [
      { at, type: "task.passed", task: "form" },
      { at, type: "warning", message: "Careful." },
    ];
    expect(await events()).toEqual(expected);
    expect(printed).toEqual(expected);
  });

  it("stores no secret", async () => {
    const { record, printed } = await newRecord();
    record.warn("The key is not-for-the-log.");
    record.close();
    expect(printed).toMatchObject([{ message: "The key is …." }]);
  });

  it("writes an event to the disk before it prints it", async () => {
    const project = newProject();
    project.write(".saga/stories/one/story.json", aStory("one"));
    const log = await openStore(project.path).startRun("one");
    const file = `.saga/runs/one/${log.run.id}/events.jsonl`;
    const contents: string[] = [];
    const record = startRecording(
      log,
      () => NOW,
      () => void contents.push(project.read(file)),
      (text) => text,
    );
    record.warn("Careful.");
    record.close();
    expect(contents).toEqual([`${JSON.stringify({ at, type: "warning", message: "Careful." })}\n`]);
  });

  it("shows the state of the run after a crash", async () => {
    const { store, record } = await newRecord();
    record.update({ taskList: "saga__one__1", cycles: 2 });
    record.agentStarted(thisProcess());
    const expected = { taskList: "saga__one__1", cycles: 2, agent: thisProcess() };
    expect(record.run()).toMatchObject(expected);
    expect((await store.listRuns("one"))[0]).toMatchObject(expected);
    record.close();
  });

  it("records the time and result of a step, and returns the result", async () => {
    const { record, printed } = await newRecord();
    const result = await record.step(
      "claim",
      async () => 7,
      (seven) => `it is ${seven}`,
    );
    expect(result).toBe(7);
    expect(printed).toEqual([
      { at, type: "step.done", step: "claim", ms: expect.any(Number) as number, about: "it is 7" },
    ]);
    record.close();
  });

  it("does not record a failed step as done", async () => {
    const { record, events } = await newRecord();
    const failing = record.step(
      "claim",
      () => Promise.reject(new Error("no")),
      () => "",
    );
    await expect(failing).rejects.toThrow("no");
    expect(await events()).toEqual([]);
    record.close();
  });
});
