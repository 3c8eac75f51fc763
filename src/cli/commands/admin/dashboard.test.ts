import { expect, it } from "vitest";
import { newProject } from "../../../../test/support/project.ts";
import { misused } from "../../../../test/support/refused.ts";

it("refuses an invalid port", async () => {
  const { message } = await misused(newProject(), "dashboard", "--port", "99999");
  expect(message).toBe(
    'Invalid value "99999" for --port. It must be a whole number from 1 to 65535.',
  );
});
