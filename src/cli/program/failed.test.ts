import { expect, it } from "vitest";
import { aStory, newProject } from "../../../test/support/project.ts";
import { openStore } from "../../store/file-store.ts";

const REASON = "2 cycles went by without one task completed.";

it("why a story failed stands beside it, without looking for it in the log", async () => {
  const project = newProject();
  project.write(".saga/stories/s/story.json", aStory("s", { status: "in_progress" }));
  const log = await openStore(project.path).startRun("s");
  const endedAt = new Date().toISOString();
  log.update({ endedAt, outcome: "failed", reason: `${REASON}\u001b[31m` });
  log.close();
  const status = await project.saga("status");
  expect(status.stdout).toContain(`  ✗ s  failed  saga logs s\n      ${REASON}␛[31m\n`);
  expect((await project.saga("show", "s")).stdout).toMatch(/failed .* 2 cycles went by .*␛\[31m\n/);
  const { json } = await project.saga("status", "--json");
  expect(json()["needsYou"]).toMatchObject([{ story: "s", state: "failed" }]);
  expect(JSON.stringify(json())).toContain(REASON);
});
