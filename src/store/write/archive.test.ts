import { expect, it } from "vitest";
import type { LeaseState } from "../leases/leases.ts";
import type { StoryRecord } from "../project/read.ts";
import { archiveRefusal } from "./archive.ts";

const record = (more: Partial<StoryRecord> = {}): StoryRecord =>
  ({
    id: "one",
    source: "project",
    story: { status: "completed" },
    tasks: [],
    ...more,
  }) as StoryRecord;

const notMerged = { lease: undefined, isMerged: () => false };
const running = { life: "alive", record: { owner: "saga-one-1" } } as LeaseState;

it("a finished story can be archived, also with a dead worker's lease", () => {
  expect(archiveRefusal(record(), notMerged)).toBeUndefined();
  const lease = { ...running, life: "dead" } as LeaseState;
  expect(archiveRefusal(record(), { ...notMerged, lease })).toBeUndefined();
});

it.each([
  ["runs", record(), { ...notMerged, lease: running }, "is running (saga-one-1)"],
  ["has a worktree", record({ source: "worktree" }), notMerged, "still has a worktree"],
  ["is on another machine", record({ source: "elsewhere" }), notMerged, "on another machine"],
  [
    "is not completed",
    record({ story: { status: "in_progress" } as StoryRecord["story"] }),
    notMerged,
    "is not completed",
  ],
  [
    "has an open task",
    record({ tasks: [{ status: "pending" }] as unknown as StoryRecord["tasks"] }),
    notMerged,
    "is not completed",
  ],
])("a story that %s is not", (_, story, facts, message) => {
  expect(archiveRefusal(story, facts)?.message).toContain(message);
});

it("a merged story whose files here are older asks for an update, not for more work", () => {
  const old = record({ story: { status: "pending" } as StoryRecord["story"] });
  const refusal = archiveRefusal(old, { ...notMerged, isMerged: () => true });
  expect(refusal?.message).toBe("one is merged, but its files here are older.");
});
