// Finished stories that passed their gate and wait to be merged, made without an agent.

import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Environment } from "../../src/machine/processes/environment.ts";
import { aStory, aTask } from "./project.ts";
import { newRepository, prepare, type TestRepository } from "./repository.ts";

export interface ReadyStory {
  readonly id: string;
  /** The files of its one commit. */
  readonly files: Readonly<Record<string, string>>;
  readonly more?: Record<string, unknown>;
}

export interface ReadyProject {
  readonly test: TestRepository;
  /** What the checks have logged: one line for each run. */
  readonly checksRun: () => string[];
  /** Merges them at the same time, each with its own command. `env`: more of its environment. */
  readonly mergeAll: (ids?: readonly string[], env?: Environment) => Promise<readonly Merged[]>;
}

export interface Merged {
  readonly id: string;
  readonly exitCode: number;
  readonly kind: string;
  readonly json: Record<string, unknown>;
}

/** The suite fails if two files of one number are there: `clash-1-a.txt` and `clash-1-b.txt`. */
export const SUITE = `ls clash-* 2>/dev/null | cut -d- -f2 | sort | uniq -d | grep . && exit 1; exit 0`;

export interface ReadyOptions {
  /** What the check does, in `sh`; with the file that has a line `run` for each run, and `accepted` before the merges. */
  readonly suite?: string | ((log: string) => string);
  /** More of `.saga/config.toml`. */
  readonly config?: string;
}

export async function readyStories(
  stories: readonly ReadyStory[],
  { suite = SUITE, config = "" }: ReadyOptions = {},
): Promise<ReadyProject> {
  const test = newRepository();
  const log = join(test.path, "../checks.log");
  writeFileSync(log, "");
  // The check is a committed script, so that it is the same command for all.
  const script = typeof suite === "string" ? suite : suite(log);
  test.write("check.sh", `echo run >> '${log}'\n${script}\n`);
  test.write(".saga/config.toml", `[delivery]\nupdate_checkout = true\n${config}`);
  test.git("clean", "-fdq", ".saga/stories");
  test.git("add", "--all");
  test.git("commit", "--quiet", "--message=check");
  for (const { id, files, more } of stories) {
    test.write(`.saga/stories/${id}/story.json`, aStory(id, { checks: ["sh check.sh"], ...more }));
    test.write(`.saga/stories/${id}/form.json`, aTask("form"));
    const { folder } = await prepare(test, { storyId: id });
    for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
    const task = join(folder, `.saga/stories/${id}/form.json`);
    const done = readFileSync(task, "utf8").replace('"pending"', '"completed"');
    writeFileSync(task, done);
    test.gitIn(folder, "add", "--all");
    test.gitIn(
      folder,
      "commit",
      "--quiet",
      `--message=Do ${id}\n\nSaga-Story: ${id}\nSaga-Task: form`,
    );
    const { exitCode, stderr } = await test.saga("accept", id);
    if (exitCode !== 0) throw new Error(stderr);
  }
  appendFileSync(log, "accepted\n");
  const checksRun = (): string[] => {
    const lines = readFileSync(log, "utf8").trim().split("\n");
    return lines.slice(lines.indexOf("accepted") + 1);
  };
  const merge = async (id: string, env: Environment = {}): Promise<Merged> => {
    const all = { PATH: process.env["PATH"], HOME: test.path, ...env };
    const { exitCode, stdout, stderr } = await test.sagaWithEnv(all, "merge", id, "--json");
    const json = JSON.parse(stdout || stderr) as Record<string, unknown>;
    return { id, exitCode, kind: String(json["kind"] ?? json["code"]), json };
  };
  return {
    test,
    checksRun,
    mergeAll: (ids = stories.map(({ id }) => id), env) =>
      Promise.all(ids.map((id) => merge(id, env))),
  };
}

/** Stories that touch different files. */
export const separate = (count: number): ReadyStory[] =>
  Array.from({ length: count }, (_, at) => ({
    id: `story-${at + 1}`,
    files: { [`file-${at + 1}.txt`]: "x\n" },
  }));
