// An unfinished story, as a killed worker leaves it: a worktree with a commit, uncommitted work of every kind, a run
// without an end, a dead lease, a pull request and a task list. Made without a worker; end-to-end tests kill real ones.

import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createTaskList, taskListFolder } from "../../src/claude/tasks/list.ts";
import { openLocalForge } from "../../src/machine/forge/forge-local.ts";
import type { Git } from "../../src/machine/programs/git.ts";
import type { Forge } from "../../src/machine/forge/forge.ts";
import { thisProcess } from "../../src/machine/processes/process-id.ts";
import { discardStory, type DiscardResult } from "../../src/recover/discard.ts";
import { commitStart, commitTask } from "../../src/repo/commits/commits.ts";
import { openStore } from "../../src/store/file-store.ts";
import type { Store } from "../../src/store/store.ts";
import { aStory, aTask } from "./project.ts";
import { newRepository, prepare, STORY, type TestRepository } from "./repository.ts";

export interface InFlightStage extends TestRepository {
  readonly store: Store;
  readonly folder: string;
  readonly forge: Forge;
  readonly taskList: string;
  /** The commit that the story's branch is at. */
  readonly tip: string;
  readonly saga: TestRepository["saga"];
}

interface Left {
  /** The story, in the project as well as on its branch. */
  readonly isCommitted?: boolean;
  readonly isDirty?: boolean;
}

export async function leftInFlight({
  isCommitted = false,
  isDirty = true,
}: Left = {}): Promise<InFlightStage> {
  const test = newRepository();
  test.write(`.saga/stories/${STORY}/story.json`, aStory(STORY, { mine: 1 }));
  test.write(`.saga/stories/${STORY}/page.json`, aTask("page", { blockedBy: ["form"] }));
  if (isCommitted) {
    test.git("add", "--all");
    test.git("commit", "--quiet", "--message=Add the story");
  }
  const store = openStore(test.path);
  const { folder } = await prepare(test);
  const repository = await test.open();
  const git = repository.git.at(folder);
  const forge = openLocalForge(join(repository.commonDir, "saga", "pulls"), Date.now);
  const branch = `story/${STORY}`;
  const { ref } = await forge.openDraft({ head: branch, base: "main", title: "T", body: "B" });
  await store.updateStory(STORY, (story) => ({
    ...story,
    status: "in_progress",
    branch,
    pr: ref,
    worktree: `.saga/worktrees/${STORY}`,
  }));
  const baseCommit = test.git("rev-parse", "main");
  await commitStart({ git, storyId: STORY, title: "T", baseCommit });
  writeFileSync(join(folder, "form.ts"), "form\n");
  await store.setTaskStatus(STORY, "form", "completed");
  const task = { id: "form", subject: "Do form" };
  const { commit: tip } = await commitTask({ git, storyId: STORY, task, exclude: [] });
  if (isDirty) {
    await store.setTaskStatus(STORY, "page", "in_progress");
    leaveWork(test, folder);
  }
  const taskList = await leaveRun(store, test);
  leaveDeadLease(test);
  const saga: InFlightStage["saga"] = (...words) => test.sagaWithEnv(test.env, ...words);
  return { ...test, store, folder, forge, taskList, tip, saga };
}

/** Changed, deleted, new, staged and changed again, binary, executable, linked, oddly named. */
function leaveWork(test: TestRepository, folder: string): void {
  writeFileSync(join(folder, "read me.txt"), "changed\n");
  rmSync(join(folder, "src/main.ts"));
  writeFileSync(join(folder, "both"), "staged\n");
  test.gitIn(folder, "add", "both");
  writeFileSync(join(folder, "both"), "later\n");
  writeFileSync(join(folder, "binary"), Buffer.from([0, 255, 1, 254]));
  writeFileSync(join(folder, "run"), "#!/bin/sh\n");
  chmodSync(join(folder, "run"), 0o755);
  symlinkSync("nowhere", join(folder, "link"));
  mkdirSync(join(folder, `odd "dir"`));
  writeFileSync(join(folder, `odd "dir"/ü\n`), "odd\n");
}

async function leaveRun(store: Store, { env }: TestRepository): Promise<string> {
  const taskList = `saga__${STORY}__1763240000000`;
  const log = await store.startRun(STORY, { taskList });
  log.append({ at: new Date().toISOString(), type: "cycle.started", cycle: 1, tasksLeft: 1 });
  log.close();
  createTaskList(taskListFolder(env, taskList), []);
  return taskListFolder(env, taskList);
}

/** Of a process that lived before the machine was started. */
function leaveDeadLease(test: TestRepository): void {
  const at = new Date().toISOString();
  const record = { ...thisProcess(), bootId: "an earlier one", owner: "a worker" };
  const lease = { ...record, takenAt: at, expiresAt: at };
  test.write(`.saga/leases/story.${STORY}/1.json`, JSON.stringify(lease));
}

/** What `saga discard --yes` does, with git as it is given. */
export async function discard(
  stage: Pick<InFlightStage, "store" | "open" | "env">,
  dying = (git: Git): Git => git,
): Promise<DiscardResult> {
  const repository = await stage.open();
  return discardStory({
    store: stage.store,
    repository: { ...repository, git: dying(repository.git) },
    settings: await stage.store.settings(),
    env: stage.env,
    now: Date.now,
    storyId: STORY,
  });
}

/** Everything in a worktree: names, kinds, modes, contents, and git's status. Git ignores empty folders. */
export function everythingIn(
  test: Pick<TestRepository, "gitIn">,
  folder: string,
): Record<string, string> {
  const names = execFileSync("find", [".", "-not", "-type", "d", "-printf", "%P %y %m %l\\0"], {
    cwd: folder,
    encoding: "utf8",
  });
  const files = execFileSync("find", [".", "-type", "f", "-not", "-name", ".git", "-print0"], {
    cwd: folder,
    encoding: "utf8",
  });
  const contents = files
    .split("\0")
    .filter((name) => name !== "")
    .map((name) => `${name} ${readFileSync(join(folder, name)).toString("hex")}`);
  return {
    names: names.split("\0").toSorted().join("\n"),
    contents: contents.toSorted().join("\n"),
    head: test.gitIn(folder, "rev-parse", "--symbolic-full-name", "HEAD"),
    commit: test.gitIn(folder, "rev-parse", "HEAD"),
    status: test.gitIn(folder, "status", "--porcelain"),
    staged: test.gitIn(folder, "ls-files", "--stage"),
  };
}
