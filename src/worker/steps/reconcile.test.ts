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
import { newBoard } from "../task-board.ts";
import { holdDefinition } from "../held-definition.ts";
import { reconcile } from "./reconcile.ts";
import { keepRecord } from "../../store/runs/run-recorder.ts";
import type { PlacedWork } from "../work.ts";

/** A story with one task in hand, and a list of Claude's that says something about it. */
async function inHand(listed: Status, passed: readonly string[]) {
  const project = newRepository();
  const repository = await project.open();
  const base = await findBase(repository, undefined);
  const store = openStore(project.path);
  const tree = await prepareWorktree({
    repository,
    storyId: STORY,
    base,
    carryStory: (folder) => store.carryStory(STORY, folder),
  });
  const story = await store.readStory(STORY);
  const board = newBoard(story.tasks);
  board.change("form", "in_progress");
  const folder = join(project.path, "list");
  const task = { ...aTask("form"), status: listed };
  createTaskList(folder, toClaudeTasks([{ blockedBy: [], checks: [], ...task } as never]));
  const log = await store.startRun(STORY);
  const work = {
    order: { storyId: STORY },
    settings: { claude: { sandbox: false } },
    around: { store, now: Date.now },
    record: keepRecord(log, Date.now, () => undefined, newRedactor([])),
    git: repository.git.at(tree.folder),
    gitDir: tree.gitDir,
    worktree: tree.folder,
    base,
    exclude: [],
    board,
    passed: new Set(passed),
    definition: holdDefinition(story, board),
  } as unknown as PlacedWork;
  return { work, folder, store };
}

const statusOf = async (store: ReturnType<typeof openStore>): Promise<string | undefined> =>
  (await store.readStory(STORY)).tasks[0]?.status;

describe("a task that was in hand when its agent was ended", () => {
  it("is completed when its completion was let pass and Claude wrote it", async () => {
    const { work, folder, store } = await inHand("completed", ["form"]);
    await reconcile(work, { id: "list", folder });
    expect(await statusOf(store)).toBe("completed");
    expect(existsSync(folder)).toBe(false);
  });

  it.each([
    ["it was never let pass", "completed", []],
    ["Claude never wrote it", "in_progress", ["form"]],
  ] as const)("is pending again when %s", async (_, listed, passed) => {
    const { work, folder, store } = await inHand(listed, passed);
    await reconcile(work, { id: "list", folder });
    expect(await statusOf(store)).toBe("pending");
    expect(existsSync(folder)).toBe(false);
  });
});
