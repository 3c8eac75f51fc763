import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { aTask } from "../../../test/support/project.ts";
import { newRepository, STORY } from "../../../test/support/repository.ts";
import { createTaskList } from "../../claude/tasks/list.ts";
import { newRedactor } from "../../machine/files/redact.ts";
import { prepareWorktree } from "../../repo/worktree/worktree.ts";
import { findBase } from "../../repo/repository.ts";
import { openStore } from "../../store/file-store.ts";
import { toClaudeTasks } from "../../claude/tasks/format.ts";
import type { Status } from "../../story/definition/status.ts";
import { holdStory } from "../story-in-memory.ts";
import { NO_SHARING } from "../sharing.ts";
import { reconcile } from "./reconcile.ts";
import { startRecording } from "../../store/runs/run-recorder.ts";
import type { PreparedWork } from "../context.ts";

/** A story with one task in progress, and Claude's list with a status for it. */
async function storyInProgress(listed: Status, allowed: readonly string[]) {
  const project = newRepository();
  const repository = await project.open();
  const base = await findBase(repository, undefined);
  const store = openStore(project.path);
  const tree = await prepareWorktree({
    repository,
    storyId: STORY,
    base,
    copyStoryToWorktree: (folder) => store.copyStoryToWorktree(STORY, folder),
  });
  const folder = join(project.path, "list");
  const task = { ...aTask("form"), status: listed };
  createTaskList(folder, toClaudeTasks([{ blockedBy: [], checks: [], ...task } as never]));
  const log = await store.startRun(STORY);
  const record = startRecording(log, Date.now, () => undefined, newRedactor([]));
  const story = holdStory(await store.readStory(STORY), { store, record });
  await story.setStatus("form", "in_progress");
  allowed.forEach(story.allowCompletion);
  const work = {
    request: { storyId: STORY },
    context: { store, settings: { claude: { sandbox: false } }, now: Date.now },
    record,
    git: repository.git.at(tree.folder),
    gitDir: tree.gitDir,
    worktree: tree.folder,
    base,
    exclude: [],
    story,
    sharing: NO_SHARING,
  } as unknown as PreparedWork;
  return { work, folder, store };
}

const statusOf = async (store: ReturnType<typeof openStore>): Promise<string | undefined> =>
  (await store.readStory(STORY)).tasks[0]?.status;

describe("a task that was in progress when its agent was ended", () => {
  it("is completed if its completion was allowed and Claude wrote it", async () => {
    const { work, folder, store } = await storyInProgress("completed", ["form"]);
    await reconcile(work, { id: "list", folder });
    expect(await statusOf(store)).toBe("completed");
    expect(existsSync(folder)).toBe(false);
  });

  it.each([
    ["its completion was never allowed", "completed", []],
    ["Claude never wrote it", "in_progress", ["form"]],
  ] as const)("is pending again if %s", async (_, listed, allowed) => {
    const { work, folder, store } = await storyInProgress(listed, allowed);
    await reconcile(work, { id: "list", folder });
    expect(await statusOf(store)).toBe("pending");
    expect(existsSync(folder)).toBe(false);
  });
});
