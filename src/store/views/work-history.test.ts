import { expect, it } from "vitest";
import { aStory, aTask, newProject } from "../../../test/support/project.ts";
import { thisProcess } from "../../machine/processes/process-id.ts";
import { openStore } from "../file-store.ts";
import { readWorkHistory } from "./work-history.ts";

it("adds up the runs of workers on finished stories", async () => {
  const project = newProject();
  for (const [id, status] of [
    ["done", "completed"],
    ["open", "pending"],
  ] as const) {
    project.write(`.saga/stories/${id}/story.json`, aStory(id));
    project.write(`.saga/stories/${id}/form.json`, aTask("form", { status }));
  }
  const store = openStore(project.path);
  for (const worker of [thisProcess(), thisProcess(), undefined]) {
    const log = await store.startRun("done", { ...(worker && { worker }) });
    const endMs = Date.parse(log.run.startedAt) + 60_000;
    log.update({ endedAt: new Date(endMs).toISOString(), outcome: "done" });
    log.close();
  }
  const { stories } = await store.overview();
  expect(await readWorkHistory(store, stories.values())).toEqual([{ tasks: 1, workedMs: 120_000 }]);
});
