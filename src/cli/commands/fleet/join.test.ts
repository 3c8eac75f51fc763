import { expect, it } from "vitest";
import { newFleetProject } from "../../../../test/support/fleet-project.ts";
import { usePostgres } from "../../../../test/support/postgres.ts";
import { asking } from "../../../../test/support/postgres.ts";

const postgres = usePostgres();

it("joins, and leaves when it is stopped; the same machine cannot join twice", async () => {
  const { ann, envOf, saga, url } = await newFleetProject(await postgres());
  const stop = new AbortController();
  // Any program will do: nothing is in the queue.
  ann.write("claude", "#!/bin/sh\n");
  ann.write(
    ".saga/config.toml",
    `[claude]\npath = "${process.execPath}"\n[fleet]\nname = "shop"\n`,
  );
  const joined = ann.sagaUntil(
    { stop: stop.signal, env: envOf(ann) },
    "fleet",
    "join",
    "--slots=2",
    "--labels=gpu,web",
  );
  const machines = () =>
    asking(url, ({ query }) => query<{ name: string }>("SELECT name FROM saga_shop.machine"));
  await expect.poll(machines, { timeout: 30_000 }).toEqual([{ name: "ann" }]);
  const twice = await ann.sagaWithEnv(envOf(ann), "fleet", "join");
  expect(twice.stderr).toContain("ann has already joined");
  const nothing = await ann.sagaWithEnv(envOf(ann), "fleet", "join", "--labels", ",");
  expect(nothing).toMatchObject({ exitCode: 64 });
  expect(nothing.stderr).toContain("--labels names no label.");
  stop.abort();
  const left = await joined;
  expect(left.exitCode).toBe(0);
  expect(left.stderr).toContain("ann joined shop with 2 slots, for stories with gpu or web");
  expect((await saga(ann, "fleet", "machines")).stdout).toContain("left");
});
