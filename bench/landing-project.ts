// A project with finished stories that passed their gate, made without agents, and a suite that takes its time. Real
// git, real processes, and the program as it is shipped.

import { execFileSync, spawn } from "node:child_process";
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

export interface LandingProject {
  readonly path: string;
  readonly ids: readonly string[];
  /** Runs of the suite since the stories were ready. */
  readonly suites: () => number;
  readonly git: (...args: string[]) => string;
  /** The shipped program, until it ends. */
  readonly saga: (...words: string[]) => Promise<string>;
  /** The positions that the target had since then whose code the suite has never passed on. */
  readonly unverified: () => string[];
}

export interface LandingScene {
  readonly saga: string;
  readonly folder: string;
  readonly stories: number;
  /** Pairs of stories that pass alone and fail together. */
  readonly clashes: number;
  readonly suiteSeconds: number;
}

/** The commands that prepare stories at the same time. */
const AT_ONCE = 3;

/**
 * Each run of the suite appends its code and its result to a log. Two files of one number (`clash-1-a`, `clash-1-b`)
 * fail. The seconds are read from a file, so that nothing waits while the stories are prepared.
 */
const suite = (home: string): string =>
  [
    `code=$(${codeOf("HEAD")})`,
    `sleep "$(cat '${home}/seconds')"`,
    `result=passed; ls clash-* 2>/dev/null | cut -d- -f2 | sort | uniq -d | grep -q . && result=failed`,
    `echo "$code $result" >> '${home}/suites'`,
    `test $result = passed`,
    "",
  ].join("\n");

/** What is checked: all files but those of Saga. */
const codeOf = (commit: string): string =>
  `git ls-tree --full-tree ${commit} | grep -v '\\.saga$' | git hash-object --stdin`;

export async function newLandingProject(scene: LandingScene): Promise<LandingProject> {
  const { folder: home, stories, clashes } = scene;
  const path = join(home, "project");
  const env = {
    PATH: process.env["PATH"],
    HOME: home,
    GIT_CONFIG_GLOBAL: join(home, ".gitconfig"),
    GIT_CONFIG_SYSTEM: "/dev/null",
  };
  const write = (file: string, text: string): void => {
    mkdirSync(dirname(join(path, file)), { recursive: true });
    writeFileSync(join(path, file), text);
  };
  const gitIn = (cwd: string, ...args: string[]): string =>
    execFileSync("git", args, { cwd, env, encoding: "utf8" }).trimEnd();
  const git = (...args: string[]): string => gitIn(path, ...args);
  const log = join(home, "suites");
  const saga = (...words: string[]): Promise<string> =>
    new Promise((resolve) => {
      const child = spawn(process.execPath, [scene.saga, ...words], { cwd: path, env });
      let output = "";
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding("utf8").on("data", (text: string) => (output += text));
      }
      child.once("close", () => resolve(output));
    });

  mkdirSync(path, { recursive: true });
  writeFileSync(
    join(home, ".gitconfig"),
    "[user]\n\tname = Person\n\temail = person@example.org\n",
  );
  writeFileSync(join(home, "seconds"), "0");
  writeFileSync(log, "");
  write("README.md", "# Bench\n");
  write("check.sh", suite(home));
  write(".saga/config.toml", "[delivery]\nupdate_checkout = true\n");
  write(".saga/.gitignore", "worktrees/\nruns/\nleases/\nqueue/\nreceipts/\n");
  git("init", "--quiet", "--initial-branch=main");
  git("add", "--all");
  git("commit", "--quiet", "--message=First");

  const ids = Array.from({ length: stories }, (_, at) => `story-${at + 1}`);
  const left = ids.map((id, at) => ({ id, file: fileOf(at, clashes) }));
  for (const { id, file } of left) makeStory(id, file);
  const accept = async (): Promise<void> => {
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      const output = await saga("accept", next.id);
      if (!output.includes("Accepted")) throw new Error(output);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, accept));
  appendFileSync(log, "ready\n");
  writeFileSync(join(home, "seconds"), String(scene.suiteSeconds));
  const start = git("rev-parse", "main");
  const lines = (): string[] => readFileSync(log, "utf8").trim().split("\n");
  return {
    path,
    ids,
    git,
    saga,
    suites: () => lines().length - lines().indexOf("ready") - 1,
    unverified() {
      const passed = new Set(lines().map((line) => line.replace(/ passed$/, "")));
      const positions = git("reflog", "show", "--format=%H", "main").split("\n");
      const code = (commit: string): string =>
        execFileSync("sh", ["-c", codeOf(commit)], { cwd: path, env, encoding: "utf8" }).trim();
      return positions
        .slice(0, positions.indexOf(start))
        .filter((commit) => !passed.has(code(commit)));
    },
  };

  function makeStory(id: string, file: string): void {
    const folder = join(path, ".saga/worktrees", id);
    git("worktree", "add", "--quiet", "-b", `story/${id}`, folder, "main");
    const own = join(folder, ".saga/stories", id);
    mkdirSync(own, { recursive: true });
    const story = { id, title: `Story ${id}`, description: "Measured.", checks: ["sh check.sh"] };
    const task = { id: "work", subject: "Do it", description: "A step.", status: "completed" };
    writeFileSync(join(own, "story.json"), JSON.stringify({ ...story, status: "in_progress" }));
    writeFileSync(join(own, "work.json"), JSON.stringify(task));
    writeFileSync(join(folder, file), `${id}\n`);
    gitIn(folder, "add", "--all");
    const message = `--message=Do ${id}\n\nSaga-Story: ${id}\nSaga-Task: work`;
    gitIn(folder, "commit", "--quiet", message);
  }
}

/** The stories of a pair are far apart: the later one meets the other in the target. */
function fileOf(at: number, clashes: number): string {
  const pair = at % PAIR_DISTANCE;
  const isClashing = pair >= 1 && pair <= clashes && at < 2 * PAIR_DISTANCE;
  return isClashing ? `clash-${pair}-${at < PAIR_DISTANCE ? "a" : "b"}` : `file-${at}.txt`;
}

const PAIR_DISTANCE = 10;
