import { expect, it } from "vitest";
import { newFleetProject } from "../../../test/support/fleet-project.ts";
import { usePostgres } from "../../../test/support/postgres.ts";
import { refuseLocalOptions } from "./local-options.ts";

const postgres = usePostgres();

it("names the first option that the fleet would ignore, as it is typed", () => {
  const check = (options: { readonly maxCost?: number; readonly once?: boolean }) => () =>
    refuseLocalOptions(options, ["once", "maxCost"], "Leave it out.");
  expect(check({})).not.toThrow();
  expect(check({ maxCost: 2 })).toThrow("--fleet cannot be used with --max-cost.");
  expect(check({ maxCost: 2, once: false })).toThrow("--fleet cannot be used with --once.");
});

it.each([["--parallel", "3"], ["--max-time", "5"], ["--rehearse"]])(
  "refuses what a fleet would ignore, before anything is changed: %s",
  async (...words) => {
    const { ann, saga, remoteRefs } = await newFleetProject(await postgres());
    const refs = remoteRefs();
    const refused = await saga(ann, "epic", "run", "shop", "--fleet", "--detach", ...words);
    expect(refused.exitCode).toBe(64);
    expect(refused.stderr).toContain(`--fleet cannot be used with ${words[0]}.`);
    expect((await saga(ann, "fleet", "status", "--json")).json()).toMatchObject({ stories: [] });
    expect(remoteRefs()).toEqual(refs);
  },
);
