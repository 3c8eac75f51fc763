import { expect, it } from "vitest";
import { newProject } from "../../../../test/support/project.ts";
import { refused } from "../../../../test/support/refused.ts";

it("refuses a story without a session, and says where to look instead", async () => {
  const story = await refused(newProject(), "attach", "no-such-story");
  expect(story.message).toBe('No session is running for "no-such-story".');
  expect(story.hint).toContain("`saga logs`");
  expect((await refused(newProject(), "attach", "auto-77")).hint).toContain("`saga auto status`");
});
