import { describe, expect, it } from "vitest";
import { claudeTask } from "../../../test/support/claude-list.ts";
import { asClaimed, asReleased, isHeldForPerson } from "./claimed-task.ts";

describe("a claimed task", () => {
  it("has an owner, and keeps everything else", () => {
    const task = claudeTask("a", { metadata: { mine: 1 } });
    expect(asClaimed(task, "auto-1", undefined)).toEqual({
      ...task,
      status: "in_progress",
      owner: "auto-1",
    });
  });

  it("records when its file was created, once", () => {
    const first = asClaimed(claudeTask("a"), "auto-1", 0);
    expect(first.metadata).toEqual({ saga: { createdAt: "1970-01-01T00:00:00.000Z" } });
    expect(asClaimed(first, "auto-2", 1000).metadata).toEqual(first.metadata);
  });
});

describe("a released task", () => {
  it("has no owner and no run; without other marks, none at all", () => {
    const claimed = claudeTask("a", { owner: "auto-1", metadata: { saga: { run: "r1" } } });
    const { owner: _, metadata: __, ...rest } = claimed;
    expect(asReleased(claimed, "pending")).toEqual({ ...rest, status: "pending" });
  });

  it("keeps other marks and the metadata of others", () => {
    const metadata = { mine: 1, saga: { run: "r1", attempts: 2 } };
    const { metadata: after } = asReleased(claudeTask("a", { metadata }), "completed");
    expect(after).toEqual({ mine: 1, saga: { attempts: 2 } });
  });
});

it("a task is held for a person by its mark", () => {
  expect(isHeldForPerson(claudeTask("a"))).toBe(false);
  expect(
    isHeldForPerson(claudeTask("a", { metadata: { saga: { held: { as: "blocker" } } } })),
  ).toBe(true);
});
