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
  );
  const machines = () =>
    asking(url, ({ query }) => query<{ name: string }>("SELECT name FROM saga_shop.machine"));
  await expect.poll(machines, { timeout: 30_000 }).toEqual([{ name: "ann" }]);
  const twice = await ann.sagaWithEnv(envOf(ann), "fleet", "join");
  expect(twice.stderr).toContain("ann has already joined");
  stop.abort();
  expect(await joined).toMatchObject({ exitCode: 0 });
  expect((await saga(ann, "fleet", "machines")).stdout).toContain("left");
});
