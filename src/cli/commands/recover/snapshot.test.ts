import { expect, it } from "vitest";
import { newProject } from "../../../../test/support/project.ts";
import { misused, refused } from "../../../../test/support/refused.ts";

it("is also called keep, and names its subcommands", async () => {
  for (const name of ["snapshot", "keep"]) {
    expect((await misused(newProject(), name)).message).toBe("Missing subcommand: list, restore.");
  }
});

it("refuses a project outside of git, where there are no snapshots", async () => {
  const { message } = await refused(newProject(), "snapshot", "list");
  expect(message).toMatch(/ is not in a git repository\.$/);
});
