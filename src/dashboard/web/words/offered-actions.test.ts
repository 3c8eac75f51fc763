import { describe, expect, it } from "vitest";
import { aCard } from "../../../../test/support/page/fixture.ts";
import { CARD_STATES } from "../pages/story-filter.ts";
import { offeredActions } from "./offered-actions.ts";
import { storyLook } from "./story-look.ts";

it("offers no action for a story in the older format", () => {
  for (const state of CARD_STATES) {
    expect(offeredActions(aCard("a", "A", state, { isLegacy: true }))).toEqual([]);
  }
});

describe("the actions of a story", () => {
  const tasks = (status: "completed" | "pending") => [
    { id: "t", subject: "T", status, blockedBy: [] },
  ];

  const CHANGES = ["edit", "new-task", "remove"];

  it("that failed with all tasks completed include accept and send back", () => {
    const failed = (status: "completed" | "pending") =>
      offeredActions(aCard("a", "A", "failed", { tasks: tasks(status) }));
    expect(failed("completed")).toEqual([
      "resume",
      "accept",
      "reject",
      "verify",
      "discard",
      "start-with",
      ...CHANGES,
    ]);
    expect(failed("pending")).toEqual(["resume", "discard", "start-with", ...CHANGES]);
  });

  it("that was accepted start with merge, and it is shown as accepted", () => {
    const card = aCard("a", "A", "review", { acceptedAt: "2026-11-16T10:00:00.000Z" });
    expect(offeredActions(card)[0]).toBe("merge");
    expect(storyLook(card).word).toBe("Accepted");
    expect(offeredActions(aCard("a", "A", "review"))[0]).toBe("accept");
  });

  it("that is ready, waiting, running or completed", () => {
    expect(offeredActions(aCard("a", "A", "ready"))).toEqual(["run", "start-with", ...CHANGES]);
    expect(offeredActions(aCard("a", "A", "waiting"))).toEqual(CHANGES);
    expect(offeredActions(aCard("a", "A", "running"))).toEqual(["stop", "note"]);
    expect(offeredActions(aCard("a", "A", "completed"))).toEqual(["archive"]);
    const archived = aCard("a", "A", "completed", { isArchived: true });
    expect(offeredActions(archived)).toEqual(["unarchive"]);
  });
});
