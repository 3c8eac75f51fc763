import { describe, expect, it } from "vitest";
import { eventSchema, newRunId, runId, runSchema } from "./run.ts";

const began = Date.UTC(2026, 10, 15, 21, 48, 0, 123);
const least = { id: newRunId(began, "1a2b"), story: "a", startedAt: "2026-11-15T21:48:00.123Z" };

describe("the id of a run", () => {
  it("is its time and something random", () => {
    expect(newRunId(began, "1a2b")).toBe("20261115T214800123Z-1a2b");
    expect(runId.safeParse(newRunId(began, "0f0f0f")).success).toBe(true);
  });

  it("sorts by time as text", () => {
    const times = [0, began - 1, began, began + 1, began + 1e10];
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
  it("has an id, a story and a start, and no end while it goes on", () => {
    expect(runSchema.parse(least)).toEqual(least);
  });

  it.each(["done", "failed", "limit", "blocked", "stopped"])("may end as %s", (outcome) => {
    const ended = { ...least, endedAt: "2026-11-15T22:00:00Z", outcome, reason: "Because." };
    expect(runSchema.parse(ended)).toEqual(ended);
  });

  it("keeps fields that this version does not know", () => {
    const later = { ...least, session: "saga-story-a-1", cost: 0.5 };
    expect(runSchema.parse(later)).toEqual(later);
  });

  it.each([
    ["story", "A"],
    ["startedAt", "yesterday"],
    ["outcome", "crashed"],
  ])("refuses %s: %j", (key, value) => {
    const found = runSchema.safeParse({ ...least, [key]: value });
    expect(found.error?.issues.map(({ path }) => path[0])).toEqual([key]);
  });
});

describe("an event", () => {
  it("has a time, a type and whatever belongs to it", () => {
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
