import { expect, it } from "vitest";
import { describeRunEvent } from "./last-action.ts";

const at = "2026-11-15T21:48:00.000Z";

it("names tool calls, words and commits, and no housekeeping", () => {
  const call = { at, type: "tool.called", id: "1", tool: "Edit", about: "src/a.ts" };
  expect(describeRunEvent(call)).toBe("Edit src/a.ts");
  expect(describeRunEvent({ at, type: "agent.said", text: "Now\nthe form." })).toBe(
    "agent says Now the form.",
  );
  expect(describeRunEvent({ at, type: "check-in", toolUses: 1, silent: 0 })).toBeUndefined();
});
