// Throw-away repositories with real git, without this machine's configuration.

import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Environment } from "../../src/machine/processes/environment.ts";
import type { Git } from "../../src/machine/programs/git.ts";
import { findBase, findRepository, type Repository } from "../../src/repo/repository.ts";
import { prepareWorktree, type PreparedWorktree } from "../../src/repo/worktree/worktree.ts";
import { copyStoryToWorktree } from "../../src/store/write/copy-to-worktree.ts";
import { IGNORED, layoutOf } from "../../src/store/project/layout.ts";
import { killPlaces } from "./kill-places.ts";
import { aStory, aTask, newFolder, type Project } from "./project.ts";

export const STORY = "add-login";

export interface TestRepository extends Project {
  readonly env: Environment;
  /** Runs git in the project and returns its output. */
  readonly git: (...args: string[]) => string;
  readonly gitIn: (folder: string, ...args: string[]) => string;
  /** As Saga finds it. */
  readonly open: () => Promise<Repository>;
}

/** With one commit on `main`, and the story `add-login`, which is not committed. */
export function newRepository(name = "project"): TestRepository {
  const repository = atFolder(newFolder(name));
  repository.git("init", "--quiet", "--initial-branch=main");
  repository.write(".saga/config.toml", "");
  repository.write(".saga/.gitignore", `${IGNORED.join("\n")}\n`);
  repository.write("read me.txt", "hello\n");
  repository.write("src/main.ts", "export {};\n");
  repository.git("add", "--all");
  repository.git("commit", "--quiet", "--message=first");
  repository.write(`.saga/stories/${STORY}/story.json`, aStory(STORY));
  repository.write(`.saga/stories/${STORY}/form.json`, aTask("form"));
  return repository;
}

/** Git in an existing folder, with a home folder next to it. */
export function atFolder(folder: Project, path = folder.path): TestRepository {
  const home = dirname(folder.path);
  writeFileSync(
    join(home, ".gitconfig"),
    "[user]\n\tname = Person\n\temail = person@example.org\n",
  );
  const env = {
    PATH: process.env["PATH"],
    HOME: home,
    GIT_CONFIG_GLOBAL: join(home, ".gitconfig"),
    GIT_CONFIG_SYSTEM: "/dev/null",
  };
  const gitIn = (cwd: string, ...args: string[]): string => {
    // Submodules and clones of this test are folders. Housekeeping would be one more process after each commit.
    const words = ["-c", "protocol.file.allow=always", "-c", "maintenance.auto=false", ...args];
    const stdio = ["ignore", "pipe", "pipe"] as const;
    return execFileSync("git", words, { cwd, env, encoding: "utf8", stdio: [...stdio] }).trimEnd();
  };
  return {
    ...folder,
    path,
    env,
    gitIn,
    git: (...args) => gitIn(path, ...args),
    open: () => findRepository(path, env),
  };
}

/** A bare repository beside it, as `origin`, with everything pushed. */
export function addOrigin(repository: TestRepository, defaultBranch = "main"): string {
  const origin = join(dirname(repository.path), "origin.git");
  const branch = `--initial-branch=${defaultBranch}`;
  repository.git("init", "--quiet", "--bare", branch, origin);
  repository.git("remote", "add", "origin", origin);
  repository.git("push", "--quiet", "origin", `HEAD:${defaultBranch}`);
  repository.git("fetch", "--quiet", "origin");
  return origin;
}

export const placeIn = ({ path }: TestRepository): string => join(path, ".saga/worktrees", STORY);
export const storyIn = (folder: string): string => join(folder, ".saga/stories", STORY);

/** The story's worktree, created as a worker does. */
export async function prepare(
  test: TestRepository,
  { storyId = STORY, dying = (git: Git): Git => git } = {},
): Promise<PreparedWorktree> {
  const repository = await test.open();
  return prepareWorktree({
    repository: { ...repository, git: dying(repository.git) },
    storyId,
    base: await findBase(repository, undefined),
    copyStoryToWorktree: (folder) => copyStoryToWorktree(layoutOf(test.path), storyId, folder),
  });
}

/** Stands for the death of a process. */
class Died extends Error {}

/** Throws instead of making a call, after this many calls. */
function dyingGit(git: Git, calls: { left: number }): Git {
  const count = (): void => {
    if (calls.left-- <= 0) throw new Died("Killed before a call of git.");
  };
  return {
    folder: git.folder,
    // Asked before each read of objects.
    get place() {
      count();
      return git.place;
    },
    ask: async (...words) => {
      count();
      return git.ask(...words);
    },
    attempt: async (...words) => {
      count();
      return git.attempt(...words);
    },
    at: (folder) => dyingGit(git.at(folder), calls),
  };
}

type Attempt = (dying: (git: Git) => Git, killedAt: number) => Promise<void>;

/** Lets a new attempt finish, then kills others before calls of git. Returns how many calls there are. */
export async function killedAtCalls(attempt: Attempt): Promise<number> {
  const calls = { left: Number.MAX_SAFE_INTEGER };
  await attempt((git) => dyingGit(git, calls), 0);
  const count = Number.MAX_SAFE_INTEGER - calls.left;
  for (const place of killPlaces(count, 5)) {
    if (!(await isKilledAt(attempt, place))) throw new Error(`It ended before call ${place}.`);
  }
  return count;
}

/** Repeats the same attempt, killed one call later each time, until it finishes. */
export async function killedAtEachCall(attempt: Attempt): Promise<void> {
  for (let place = 1; await isKilledAt(attempt, place); place++);
}

async function isKilledAt(attempt: Attempt, place: number): Promise<boolean> {
  const calls = { left: place - 1 };
  try {
    await attempt((git) => dyingGit(git, calls), place);
    return false;
  } catch (error) {
    if (!(error instanceof Died)) throw error;
    return true;
  }
}

/** A changed, a new and a staged file in a worktree: something to lose. */
export function leaveChanges(test: TestRepository, folder: string): void {
  writeFileSync(join(folder, "read me.txt"), "changed\n");
  writeFileSync(join(folder, "new"), "new\n");
  writeFileSync(join(folder, "staged"), "staged\n");
  test.gitIn(folder, "add", "staged");
}
