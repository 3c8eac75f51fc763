// A machine of the demo: a home and a clone of its own, and everything that runs in that home.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { SagaError } from "../../../errors.ts";
import { plainEnvironment, type Environment } from "../../../machine/processes/environment.ts";
import {
  endMarkedProcesses,
  isAlive,
  processesWith,
  type KnownProcess,
} from "../../../machine/processes/process-tree.ts";
import { run } from "../../../machine/processes/run.ts";
import { MAX_TIMER_MS } from "../../../machine/processes/timer.ts";
import { openGit, type Git } from "../../../machine/programs/git.ts";
import { rehearsalEnv } from "../../../rehearsal/stage-home.ts";
import type { Context } from "../../../context.ts";

export interface DemoMember {
  readonly name: string;
  readonly project: string;
  readonly env: Environment;
  readonly git: Git;
  /** Runs a command of Saga in its clone. Throws if it fails. */
  readonly saga: (words: readonly string[], input?: string) => Promise<void>;
  /** Starts `saga fleet join`. It runs until `end` or `kill`. */
  readonly join: () => void;
  /** The last lines of its output. */
  readonly lastOutput: () => string;
  /** Kills all of its processes at once, as a power cut does. Returns how many there were. */
  readonly kill: () => number;
  /** Ends all of its processes. */
  readonly end: () => Promise<void>;
}

export interface MemberRequest extends Pick<Context, "env" | "stop"> {
  readonly name: string;
  /** The demo's folder. */
  readonly folder: string;
  readonly remote: string;
  readonly databaseUrl: string;
  readonly modelUrl: string;
  /** The command that starts Saga. */
  readonly program: readonly string[];
}

const COMMAND_TIMEOUT_MS = 120_000;
const GRACE_MS = 2_000;
const OUTPUT_BYTES = 2_000;
const MAX_KILL_ROUNDS = 10;

export async function newDemoMember(request: MemberRequest): Promise<DemoMember> {
  const { name, folder, program, stop } = request;
  const home = join(folder, name);
  const project = join(home, "project");
  for (const one of [home, join(home, "tmux")]) mkdirSync(one, { mode: 0o700 });
  const env: Environment = {
    ...rehearsalEnv(
      { ...plainEnvironment(request.env), HOME: home },
      { folder: home, modelUrl: request.modelUrl },
    ),
    XDG_CONFIG_HOME: undefined,
    TMUX_TMPDIR: join(home, "tmux"),
    SAGA_SESSION_DIR: join(home, "sessions"),
    SAGA_FLEET_URL: request.databaseUrl,
    SAGA_FLEET_MACHINE: name,
  };
  await openGit(folder, env).ask(["clone", "--quiet", "--", request.remote, project]);
  const git = openGit(project, env);
  // Commits say by whom they are: the summary reads it there.
  await git.ask(["config", "user.name", name]);
  await git.ask(["config", "user.email", `${name}@example.com`]);
  const [node = "", ...file] = program;
  let output = "";
  const processes = (): KnownProcess[] => processesWith("HOME", home);
  return {
    name,
    project,
    env,
    git,
    lastOutput: () => output.trim(),
    async saga(words, input) {
      const ended = await run(node, [...file, ...words], {
        cwd: project,
        env,
        input,
        stop,
        timeoutMs: COMMAND_TIMEOUT_MS,
      });
      if (stop.aborted) throw demoStopped();
      if (ended.kind === "exited" && ended.exitCode === 0) return;
      const reason = ended.kind === "missing" ? "Node was not found" : ended.stderr.trim();
      throw new SagaError("program-failed", `saga ${words.join(" ")} failed: ${reason}`);
    },
    join() {
      void run(node, [...file, "fleet", "join"], {
        cwd: project,
        env,
        timeoutMs: MAX_TIMER_MS,
        stop,
        onOutput: (chunk) => (output = `${output}${chunk.toString()}`.slice(-OUTPUT_BYTES)),
      }).catch((error: unknown) => (output += String(error)));
    },
    kill: () => killAtOnce(processes),
    end: () => endMarkedProcesses(["HOME", home], [], { graceMs: GRACE_MS }),
  };
}

export const demoStopped = (): SagaError => new SagaError("not-ready", "The demo was stopped.");

/** Until none is left: one may have started another in the same moment. */
export function killAtOnce(find: () => readonly KnownProcess[]): number {
  const killed = new Set<number>();
  for (let round = 0; round < MAX_KILL_ROUNDS; round++) {
    const living = find().filter((one) => !killed.has(one.pid) && isAlive(one));
    if (living.length === 0) break;
    for (const { pid } of living) {
      killed.add(pid);
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // It ended in this moment.
      }
    }
  }
  return killed.size;
}
