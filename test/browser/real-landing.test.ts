// The Landing page with the real server and real merges: what a person does there happens, and what happens is shown.

import { join } from "node:path";
import { writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { useChromium } from "../support/browser.ts";
import { quietEnv, startTestDashboard } from "../support/dashboard.ts";
import { root } from "../support/programs.ts";
import { readyStories, separate } from "../support/ready-stories.ts";
import { openStore } from "../../src/store/file-store.ts";

const newPage = useChromium();
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
