import { expect, it } from "vitest";
import { newProject } from "../../../../test/support/project.ts";
import { misused } from "../../../../test/support/refused.ts";

it("shows its help without a story", async () => {
  const { message, hint } = await misused(newProject(), "worker");
  expect(message).toBe("Missing argument <story>.");
  expect(hint).toContain("Usage: saga worker [options] [story]");
});
