// A fleet on one machine: a bare remote, a database, and members with homes and clones of their own. The real Claude Code
// works on the scripted model. Everything is removed after the test; a process that is left running fails it.

import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { endProcesses, processesWith } from "../../src/machine/processes/process-tree.ts";
import { startModel, type Model, type Script } from "../../src/rehearsal/model-server.ts";
import { rehearsalEnv } from "../../src/rehearsal/stage-home.ts";
import { IGNORED } from "../../src/store/project/layout.ts";
import { builtSaga, runNode, type Ended } from "./programs.ts";
import { asking, newDatabase, type PostgresAddress } from "./postgres.ts";
import { anEpic, aStory, aTask } from "./project.ts";
import { shareCompiledCode } from "./share-compiled.ts";

export interface FleetStage {
  readonly folder: string;
  readonly url: string;
  readonly model: Model;
  /** Refs at the remote, by name. */
  readonly remoteRefs: () => Readonly<Record<string, string>>;
  readonly remoteGit: (...args: string[]) => string;
  /** A clone with a home of its own. `more`: further variables of its environment. */
  readonly newMember: (name: string, more?: NodeJS.ProcessEnv) => FleetMember;
}

export interface FleetMember {
  readonly name: string;
  readonly path: string;
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
  readonly git: (...args: string[]) => string;
  readonly write: (file: string, content: unknown) => void;
  readonly run: (...words: string[]) => Promise<Ended>;
  readonly json: (...words: string[]) => Promise<Record<string, unknown>>;
  /** `saga fleet join`, until it is ended. */
  readonly join: (...words: string[]) => Joined;
  /** Everything with this member's home. */
  readonly processes: () => number[];
  /** Kills all of it at once, as a power cut does. */
  readonly kill: () => void;
}

export interface Joined {
  readonly child: ChildProcess;
  readonly output: () => string;
  /** Resolves when its output has a match. */
  readonly printed: (what: RegExp) => Promise<void>;
  /** SIGTERM, and waits for its end. */
  readonly leave: () => Promise<number | null>;
}

export async function newFleetStage(server: PostgresAddress, script: Script): Promise<FleetStage> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "saga-fleet-")));
  const url = await newDatabase(server);
  const model = await startModel(script);
  const members: FleetMember[] = [];
  onTestFinished(async () => {
    for (const { home } of members) {
      await endProcesses(processesWith("HOME", home), { graceMs: 2_000 });
    }
    await model.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const remote = join(folder, "remote.git");
  execFileSync("git", ["init", "--quiet", "--bare", "--initial-branch=main", remote]);
  const remoteGit = (...args: string[]): string =>
    execFileSync("git", args, { cwd: remote, encoding: "utf8" }).trim();
  return {
    folder,
    url,
    model,
    remoteGit,
    remoteRefs() {
      const rows = remoteGit("for-each-ref", "--format=%(refname) %(objectname)").split("\n");
      return Object.fromEntries(
        rows.filter(Boolean).map((row) => row.split(" ") as [ref: string, commit: string]),
      );
    },
    newMember(name, more = {}) {
      const member = newMember({ folder, remote, url, model, more }, name);
      members.push(member);
      return member;
    },
  };
}

interface MemberPlace {
  readonly folder: string;
  readonly remote: string;
  readonly url: string;
  readonly model: Model;
  readonly more: NodeJS.ProcessEnv;
}

function newMember({ folder, remote, url, model, more }: MemberPlace, name: string): FleetMember {
  const home = join(folder, name);
  const path = join(home, "project");
  for (const one of [home, join(home, "tmux")]) mkdirSync(one, { mode: 0o700 });
  const env = Object.fromEntries(
    Object.entries({
      ...rehearsalEnv(
        { PATH: process.env["PATH"], HOME: home, SHELL: "/bin/sh", LANG: "C.UTF-8" },
        { folder: home, modelUrl: model.url("fleet") },
      ),
      TMUX_TMPDIR: join(home, "tmux"),
      SAGA_SESSION_DIR: join(home, "sessions"),
      CLAUDE_CODE_MAX_RETRIES: "0",
      GIT_CONFIG_GLOBAL: "/dev/null",
      SAGA_FLEET_URL: url,
      SAGA_FLEET_MACHINE: name,
      ...more,
    }).filter(([, value]) => value !== undefined),
  ) as NodeJS.ProcessEnv;
  shareCompiledCode(env);
  const identity = ["-c", "user.name=Test", "-c", "user.email=test@example.com"];
  const git = (...args: string[]): string =>
    execFileSync("git", [...identity, ...args], { cwd: path, env, encoding: "utf8" }).trim();
  execFileSync("git", ["clone", "--quiet", remote, path], { env, stdio: "ignore" });
  const run = (...words: string[]): Promise<Ended> =>
    runNode([builtSaga, ...words], { cwd: path, env });
  const processes = (): number[] => processesWith("HOME", home).map(({ pid }) => pid);
  return {
    name,
    path,
    home,
    env,
    git,
    run,
    processes,
    write(file, content) {
      const target = join(path, file);
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, typeof content === "string" ? content : JSON.stringify(content));
    },
    async json(...words) {
      const { stdout, stderr } = await run(...words, "--json");
      try {
        return JSON.parse(stdout) as Record<string, unknown>;
      } catch {
        throw new Error(`No JSON from ${words.join(" ")}: ${stdout}${stderr}`);
      }
    },
    join: (...words) => joinFleet({ path, env }, words),
    kill() {
      for (const pid of processes()) {
        try {
          process.kill(pid, "SIGKILL");
        } catch {
          // It has ended meanwhile.
        }
      }
    },
  };
}

function joinFleet(
  { path, env }: { readonly path: string; readonly env: NodeJS.ProcessEnv },
  words: readonly string[],
): Joined {
  const child = spawn(process.execPath, [builtSaga, "fleet", "join", ...words], {
    cwd: path,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const waiting = new Set<() => void>();
  const onData = (chunk: Buffer): void => {
    output += chunk.toString();
    for (const look of waiting) look();
  };
  child.stdout.on("data", onData);
  child.stderr.on("data", onData);
  return {
    child,
    output: () => output,
    printed: (what) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (!what.test(output)) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        child.once("exit", () => {
          if (waiting.delete(look)) reject(new Error(`The member ended: ${output}`));
        });
        look();
      }),
    async leave() {
      const ended = child.exitCode === null ? once(child, "exit") : undefined;
      child.kill("SIGTERM");
      await ended;
      return child.exitCode;
    },
  };
}

/** 30 seconds without a sign of life of any story, as the database of the fleet `shop` sees it. */
export const silence = ({ url }: Pick<FleetStage, "url">): Promise<unknown> =>
  asking(url, async ({ query }) => {
    const ago = "- interval '30 seconds'";
    await query(
      `UPDATE saga_shop.lease SET renewed_at = renewed_at ${ago} WHERE name LIKE 'story.%'`,
    );
    await query(`UPDATE saga_shop_jobs.job SET heartbeat_on = heartbeat_on ${ago}`);
  });

/** Commits a project with an epic to the remote. Stories: ids with what each is blocked by. Tasks: the ends of their ids. */
export function commitEpic(
  { write, git }: Pick<FleetMember, "write" | "git">,
  epicId: string,
  stories: Readonly<Record<string, readonly string[]>>,
  {
    config = "",
    tasks = ["one"],
  }: { readonly config?: string; readonly tasks?: readonly string[] } = {},
): void {
  write("README.md", "# A project\n");
  write(".saga/config.toml", config);
  write(".saga/.gitignore", `${IGNORED.join("\n")}\n`);
  const children = Object.entries(stories).map(([id, blockedBy]) => ({ id, blockedBy }));
  write(`.saga/epics/${epicId}/epic.json`, anEpic(epicId, children));
  for (const { id } of children) {
    write(`.saga/stories/${id}/story.json`, aStory(id, { epic: epicId }));
    for (const [at, task] of tasks.entries()) {
      const before = tasks.slice(at - 1, at).map((one) => `${id}-${one}`);
      write(
        `.saga/stories/${id}/${id}-${task}.json`,
        aTask(`${id}-${task}`, { blockedBy: before }),
      );
    }
  }
  git("add", "--all");
  git("commit", "--quiet", "--message=Plan");
  git("push", "--quiet", "origin", "HEAD:main");
}
