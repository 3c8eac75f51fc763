import { describe, expect, it } from "vitest";
import { newRunId } from "./run-id.ts";
import { eventSchema, runId, runSchema } from "./run.ts";

const startedAt = Date.UTC(2026, 10, 15, 21, 48, 0, 123);
const least = {
  id: newRunId(startedAt, "1a2b"),
  story: "a",
  startedAt: "2026-11-15T21:48:00.123Z",
};
const nothing = { cycles: 0, costUsd: 0, inputTokens: 0, outputTokens: 0 };

describe("the id of a run", () => {
  it("is its time and a random part", () => {
    expect(newRunId(startedAt, "1a2b")).toBe("20261115T214800123Z-1a2b");
    expect(runId.safeParse(newRunId(startedAt, "0f0f0f")).success).toBe(true);
  });

  it("sorts by time as text", () => {
    const times = [0, startedAt - 1, startedAt, startedAt + 1, startedAt + 1e10];
    const ids = times.map((time) => newRunId(time, "ffff"));
    expect(ids.toSorted()).toEqual(ids);
  });

  it.each(["", "../x", "20261115T214800123Z", "20261115T214800123Z-xyz1", "2026-1a2b"])(
    "is not %j",
    (id) => {
      expect(runId.safeParse(id).error?.issues).toMatchObject([
        { message: "is not the id of a run" },
      ]);
    },
  );
});

describe("a run", () => {
  it("has an id, a story and a start, and neither an end nor a cost at first", () => {
    expect(runSchema.parse(least)).toEqual({ ...least, ...nothing });
  });

  it("has its processes, its output file and its cost", () => {
    const process = { pid: 7, startTime: "12", bootId: "b", place: "p" };
    const whole = {
      ...least,
      session: "saga-story-a-1",
      outputFile: "/sessions/a.out",
      worker: process,
      agent: { ...process, pid: 8 },
      taskList: "saga__a__1",
      model: "opus",
      conversation: "c1",
      cycles: 2,
      costUsd: 0.25,
      inputTokens: 100,
      outputTokens: 10,
    };
    expect(runSchema.parse(whole)).toEqual(whole);
  });

  it.each(["done", "failed", "limit", "blocked", "stopped", "merged"])(
    "may end as %s",
    (outcome) => {
      const ended = { ...least, endedAt: "2026-11-15T22:00:00Z", outcome, reason: "Because." };
      expect(runSchema.parse(ended)).toEqual({ ...ended, ...nothing });
    },
  );

  it("keeps unknown fields", () => {
    const later = { ...least, ...nothing, mood: { is: "good" } };
    expect(runSchema.parse(later)).toEqual(later);
  });

  it.each([
    ["story", "A"],
    ["startedAt", "yesterday"],
    ["outcome", "crashed"],
    ["cycles", -1],
    ["costUsd", "much"],
    ["worker", { pid: 0, startTime: "", bootId: "", place: "" }],
    ["agent", { pid: 7 }],
  ])("refuses %s: %j", (key, value) => {
    const found = runSchema.safeParse({ ...least, [key]: value });
    expect(new Set(found.error?.issues.map(({ path }) => path[0]))).toEqual(new Set([key]));
  });
});

describe("an event", () => {
  it("has a time, a type and further fields", () => {
    const event = { at: "2026-11-15T21:48:00Z", type: "task-completed", task: "a" };
    expect(eventSchema.parse(event)).toEqual(event);
  });

  it.each([{ at: "2026-11-15T21:48:00Z", type: "" }, { at: "now", type: "x" }, { type: "x" }])(
    "is not %j",
    (event) => {
      expect(eventSchema.safeParse(event).success).toBe(false);
    },
  );
});
