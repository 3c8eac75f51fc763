// The Landing page with the real server and real merges: what a person does there happens, and what happens is shown.

import { join } from "node:path";
import { writeFileSync } from "node:fs";
import { expect, it, onTestFinished } from "vitest";
import { useChromium } from "../support/browser.ts";
import { quietEnv, startTestDashboard } from "../support/dashboard.ts";
import { openMemberStore } from "../support/fleet-project.ts";
import { newFleetLane, REMOTE_MAIN } from "../support/fleet-lane.ts";
import { usePostgres } from "../support/postgres.ts";
import { builtSaga, root, runNode } from "../support/programs.ts";
import { readyStories, separate } from "../support/ready-stories.ts";
import { watchFleet } from "../../src/cli/fleet/watch-fleet.ts";
import { openStore } from "../../src/store/file-store.ts";
import { EXIT } from "../../src/story/state/exit-codes.ts";

const newPage = useChromium();
const postgres = usePostgres();
const pageFolder = join(root, "dist/dashboard");
const LANE = { branch: "main", place: "here" } as const;

it("holds, releases and merges what waits, with the output of the check as it runs", async () => {
  const { test } = await readyStories(separate(2), {
    // The stories' own gates have passed on a receipt for another tree: the batch is checked again.
    suite: (log) =>
      `grep -q accepted '${log}' || exit 0; echo checking both; until test -e '${log}.go'; do sleep 0.05; done; echo passed`,
  });
  const { queue } = openStore(test.path);
  // The commands that asked for the merges were killed.
  for (const { id } of separate(2)) {
    const entry = { kind: "story", name: id, lane: LANE, priority: 3, by: "saga merge" } as const;
    await queue.enqueue({ ...entry, after: [], checks: ["sh check.sh"], updateCheckouts: true });
  }
  // The state folder of the commands above: it has the key that their receipts are sealed with.
  const env = { ...quietEnv(test), XDG_STATE_HOME: undefined };
  const { port, key } = await startTestDashboard(test, { pageFolder, env });
  const page = await newPage();
  await page.goto(`http://127.0.0.1:${port}/landing?key=${key}`);
  const lane = page.getByRole("region", { name: "main", exact: true });
  const row = lane.getByRole("article", { name: "story-1" });
  await row.getByRole("button", { name: "Hold story-1" }).click();
  await row.getByRole("img", { name: "On hold" }).waitFor();
  const [held] = await queue.list(LANE);
  expect(held).toMatchObject({ name: "story-1", heldBy: expect.any(String) as string });
  await row.getByRole("button", { name: "Release story-1" }).click();
  await row.getByRole("img", { name: "Waiting" }).waitFor();

  await lane.getByRole("button", { name: "Merge the queue" }).click();
  await lane.getByText("Checking 2 changes together").waitFor();
  await lane.getByRole("log").getByText("checking both").waitFor();
  writeFileSync(join(test.path, "../checks.log.go"), "");
  await page.getByText("The queue is empty.").first().waitFor();
  await lane.getByText("The queue is empty.").waitFor();
  await lane.getByText("1 check run, 1 saved by merging together").waitFor();
  expect(test.git("ls-tree", "--name-only", "main")).toMatch(/file-1\.txt\nfile-2\.txt/);
});

it("shows what waits on every machine of a fleet, holds it there, and what another machine merges", async () => {
  const lane = await newFleetLane(await postgres(), {
    ann: [{ id: "a1", files: { "a1.txt": "a1\n" } }],
    bob: ["b1", "b2"].map((id) => ({ id, files: { [`${id}.txt`]: `${id}\n` } })),
    suite: (log) =>
      `grep -q ready '${log}' || exit 0; until test -e '${log}.go'; do sleep 0.05; done; echo passed`,
  });
  const { ann, bob } = lane.machines;
  await ann.enqueue("a1");
  for (const id of ["b1", "b2"]) await bob.enqueue(id);
  const place = { project: ann.clone.path, env: ann.env };
  const fleet = watchFleet(place, openMemberStore(place.project, place.env));
  onTestFinished(() => fleet.close());
  const { port, key } = await startTestDashboard(ann.clone, {
    pageFolder,
    env: ann.env,
    readFleet: fleet.read,
  });
  const page = await newPage();
  await page.goto(`http://127.0.0.1:${port}/landing?key=${key}`);
  const main = page.getByRole("region", { name: "main" }).first();
  const row = (id: string) => main.getByRole("article", { name: id });
  await row("b1").getByText("on bob").waitFor();
  expect(await row("a1").innerText()).toContain("on ann");
  await row("b2").getByRole("button", { name: "Hold b2" }).click();
  await row("b2").getByRole("img", { name: "On hold" }).waitFor();
  const held = (await bob.queue.list(REMOTE_MAIN)).filter(({ heldBy }) => heldBy !== undefined);
  expect(held.map(({ name, machine }) => `${name} of ${machine}`)).toEqual(["b2 of bob"]);

  const landing = runNode([builtSaga, "queue", "run"], { cwd: bob.clone.path, env: bob.env });
  await main.getByText("Checking 2 changes together").waitFor();
  await main.getByText("Its output is on bob.").waitFor();
  writeFileSync(join(ann.clone.path, "../checks.log.go"), "");
  // One is still on hold.
  expect(await landing).toMatchObject({ exitCode: EXIT.notMerged });
  await main.getByText("1 check run, 1 saved by merging together").waitFor();
  await row("b1").waitFor({ state: "detached" });
  expect(lane.landed().toSorted()).toEqual(["Do a1", "Do b1"]);
  await row("b2").getByRole("button", { name: "Release b2" }).click();
  await row("b2").getByRole("img", { name: "Waiting" }).waitFor();
});
