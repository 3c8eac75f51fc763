import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { newRepository, prepare, STORY } from "../../test/support/repository.ts";
import { newRedactor } from "../machine/files/redact.ts";
import { openStore } from "../store/file-store.ts";
import { startRecording } from "../store/runs/run-recorder.ts";
import type { RunEvent } from "../story/state/run.ts";
import type { PreparedWork } from "./context.ts";
import { commitUnfinished } from "./commit-unfinished.ts";
import { holdStory } from "./story-in-memory.ts";

async function newWork() {
  const project = newRepository();
  const repository = await project.open();
  const store = openStore(project.path);
  const { folder, gitDir } = await prepare(project);
  const events: RunEvent[] = [];
  const print = (event: RunEvent): void => void events.push(event);
  const record = startRecording(await store.startRun(STORY), Date.now, print, newRedactor([]));
  const story = holdStory(await store.readStory(STORY), { store, record });
  const work = {
    request: { storyId: STORY },
    record,
    git: repository.git.at(folder),
    gitDir,
    worktree: folder,
    exclude: [],
    story,
  } as unknown as PreparedWork;
  const types = (): string[] => events.map(({ type }) => type);
  return { project, folder, work, types };
}

it("unfinished work is committed as a part of its task, after a snapshot", async () => {
  const { project, folder, work, types } = await newWork();
  writeFileSync(join(folder, "half.ts"), "export {};\n");
  await commitUnfinished(work, "when the budget was spent");
  expect(types()).toEqual(["kept", "part.committed"]);
  expect(project.gitIn(folder, "log", "-1", "--format=%(trailers:key=Saga-Task-Part)")).toContain(
    "form",
  );
  expect(project.gitIn(folder, "status", "--porcelain")).toBe("");
  await commitUnfinished(work, "when the budget was spent");
  expect(types()).toHaveLength(2);
});

it("work on an unfinished merge is not committed", async () => {
  const { project, folder, work, types } = await newWork();
  project.gitIn(folder, "add", "--all");
  project.gitIn(folder, "commit", "--quiet", "--message=Start");
  project.git("commit", "--quiet", "--allow-empty", "--message=Other");
  project.gitIn(folder, "merge", "--no-commit", "--no-ff", "main");
  writeFileSync(join(folder, "half.ts"), "export {};\n");
  await commitUnfinished(work, "when the budget was spent");
  expect(types()).toEqual([]);
});
