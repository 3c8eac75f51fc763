import { expect, it } from "vitest";
import { newFleetProject } from "../../../../test/support/fleet-project.ts";
import { usePostgres } from "../../../../test/support/postgres.ts";

const postgres = usePostgres();

it("marks a machine that runs no member as left, again and again", async () => {
  const { ann, saga } = await newFleetProject(await postgres());
  for (const _ of [1, 2]) {
    expect((await saga(ann, "fleet", "leave", "--json")).json()).toEqual({
      machine: "ann",
      isDraining: false,
    });
  }
  const never = await saga(ann, "fleet", "leave");
  expect(never.stdout).toBe("ann has not joined: it takes no stories\n");
});
