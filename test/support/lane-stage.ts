// A lane with stories that wait in it, of which two fail together, and what must hold of it however it was landed.

import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { judgingMark } from "../../src/gate/end-leftover-checks.ts";
import { aheadId, laneId } from "../../src/landing/lane-id.ts";
import { processesWith } from "../../src/machine/processes/process-tree.ts";
import { openStore } from "../../src/store/file-store.ts";
import type { Lane } from "../../src/story/landing/entry.ts";
import { builtSaga, killAtHook, killVariables, runNode, type Ended } from "./programs.ts";
import { readyStories, SUITE, type ReadyStory } from "./ready-stories.ts";
import type { TestRepository } from "./repository.ts";
import { shareCompiledCode } from "./share-compiled.ts";

const MAIN: Lane = { branch: "main", place: "here" };

/** `one` and `two` pass alone and fail together. */
const STORIES: readonly ReadyStory[] = [
  { id: "one", files: { "clash-1-a.txt": "a\n" } },
  { id: "other", files: { "other.txt": "c\n" } },
  { id: "two", files: { "clash-1-b.txt": "b\n" } },
  { id: "last", files: { "last.txt": "d\n" } },
];

export interface LaneStage {
  readonly test: TestRepository;
  readonly ids: readonly string[];
  /** As it was when it was made: all stories wait in the lane, without a process that lands them. */
  readonly putBack: () => void;
  /** The built program, killed at an effect; 0 for none. Returns how many effects it had, too. */
  readonly saga: (killAt: number, ...words: string[]) => Promise<Ended & { effects: number }>;
  /** After everything was repeated until its end. */
  readonly expectAllLanded: (about: string) => Promise<void>;
}

export async function newLaneStage({ config = "", queued = true } = {}): Promise<LaneStage> {
  const { test } = await readyStories(STORIES, { suite: loggedSuite, config });
  const ids = STORIES.map(({ id }) => id);
  if (queued) await enqueueAll(test, ids);
  const home = dirname(test.path);
  shareCompiledCode({ HOME: test.path });
  const backup = `${home}.backup`;
  onTestFinished(() => rmSync(backup, { recursive: true, force: true }));
  execFileSync("cp", ["-a", home, backup]);
  const start = test.git("rev-parse", "main");
  return {
    test,
    ids,
    putBack() {
      rmSync(home, { recursive: true });
      execFileSync("cp", ["-a", backup, home]);
    },
    async saga(killAt, ...words) {
      const count = join(home, `effects-${words.join("-")}`);
      const env = {
        // The same home as while the stories were prepared: it has the key of their receipts.
        PATH: process.env["PATH"],
        HOME: test.path,
        ...killVariables(killAt, count),
      };
      const args = ["--require", killAtHook, builtSaga, ...words];
      const ended = await runNode(args, { cwd: test.path, env });
      const effects = existsSync(count) ? Number(readFileSync(count, "utf8").split("\n")[0]) : 0;
      return { ...ended, effects };
    },
    expectAllLanded: (about) => expectAllLanded(test, { start, about }),
  };
}

/** Logs the code that it passed on. */
const loggedSuite = (log: string): string =>
  `( ${SUITE} ) || exit 1\n${codeOf("HEAD")} >> '${passedFile(log)}'`;

const passedFile = (log: string): string => join(dirname(log), "passed.log");

/** All files but those of Saga. */
const codeOf = (commit: string): string =>
  `git ls-tree --full-tree ${commit} | grep -v '\\.saga$' | git hash-object --stdin`;

async function enqueueAll(test: TestRepository, ids: readonly string[]): Promise<void> {
  const { queue } = openStore(test.path);
  for (const name of ids) {
    const story = { kind: "story", name, lane: MAIN, priority: 3, by: "saga merge" } as const;
    await queue.enqueue({ ...story, after: [], checks: ["sh check.sh"], updateCheckouts: true });
  }
}

async function expectAllLanded(
  test: TestRepository,
  { start, about }: { readonly start: string; readonly about: string },
): Promise<void> {
  const store = openStore(test.path);
  // Nothing is lost, and nothing lands twice.
  const subjects = test.git("log", "--format=%s", `${start}..main`).split("\n");
  const own = (id: string): number => subjects.filter((subject) => subject === `Do ${id}`).length;
  expect([own("other"), own("last"), own("one") + own("two")], about).toEqual([1, 1, 1]);
  const sentBack = own("one") === 0 ? "one" : "two";
  const { tasks } = await store.readStory(sentBack);
  expect(
    tasks.map(({ id }) => id),
    about,
  ).toEqual(["form", "fix-landing"]);
  expect(test.git("log", "--format=%s", `story/${sentBack}`), about).toContain(`Do ${sentBack}`);
  // The target never stood on code that the suite has not passed on.
  const passed = readFileSync(passedFile(join(test.path, "../checks.log")), "utf8").split("\n");
  const positions = test.git("reflog", "show", "--format=%H", "main").split("\n");
  for (const commit of positions.slice(0, positions.indexOf(start))) {
    const env = test.env as NodeJS.ProcessEnv;
    const code = execFileSync("sh", ["-c", codeOf(commit)], { cwd: test.path, env }).toString();
    expect(passed, `${about}: ${commit}`).toContain(code.trim());
  }
  // Nothing is left.
  expect(await store.queue.list(MAIN), about).toEqual([]);
  const lane = readdirSync(join(test.path, ".saga/queue/here.main"));
  expect(
    lane.filter((name) => /\.(?:json|landing|hold)$/.test(name)),
    about,
  ).toEqual([]);
  expect(test.git("status", "--porcelain", "--untracked-files=no"), about).toBe("");
  const worktrees = test.git("worktree", "list").split("\n");
  expect(worktrees, about).toHaveLength(2);
  for (const id of [laneId(MAIN), aheadId(MAIN, 1), aheadId(MAIN, 2)]) {
    const checks = processesWith(...judgingMark(test.path, id));
    expect(checks, about).toEqual([]);
  }
}
