// Sessions that outlive whoever started them. Names are always matched exactly: to tmux `a` would mean
// `ab` as well.

import { SagaError } from "../../errors.ts";
import { plainEnvironment, type Environment } from "../processes/environment.ts";
import { run, type RunResult } from "../processes/run.ts";
import { shellQuoted } from "../../text/shell-quote.ts";

export interface NewSession {
  readonly name: string;
  readonly cwd: string;
  /** Said explicitly: the server would give it the environment of whoever started the server. */
  readonly env: Readonly<Record<string, string>>;
  readonly command: readonly string[];
  /** Everything it prints is appended here. */
  readonly outputFile: string;
}

export interface Session {
  readonly name: string;
  readonly startedAtMs: number;
  /** The process in it. */
  readonly pid: number;
  /** The folder it was started in. */
  readonly folder: string;
}

export interface Tmux {
  readonly start: (session: NewSession) => Promise<void>;
  readonly list: () => Promise<readonly Session[]>;
  /** Ends it and what runs in it; false when it was not there. */
  readonly end: (name: string) => Promise<boolean>;
}

const TIMEOUT_MS = 10_000;
/** Wide enough that lines of a log are not broken before they are captured. */
const SIZE = ["-x", "250", "-y", "50"];

export const tmuxEnvironment = (env: Environment): Record<string, string> =>
  plainEnvironment(env, ["TMUX_TMPDIR"]);

export function openTmux(env: Environment): Tmux {
  const tmux = (args: readonly string[]): Promise<RunResult> =>
    run("tmux", args, { env: tmuxEnvironment(env), timeoutMs: TIMEOUT_MS });
  return {
    async start({ name, cwd, env: variables, command, outputFile }) {
      const target = exactly(name);
      const pairs = Object.entries(variables).flatMap(([key, value]) => ["-e", `${key}=${value}`]);
      const place = ["-s", name, "-c", asFormat(cwd)];
      const session = ["new-session", "-d", ...place, ...SIZE, ...pairs, "--"];
      // One command: the pane is captured before its program can print anything. A person's own
      // settings must neither end the session early nor keep it when it is over.
      const commands = [
        [...session, ...command],
        ["pipe-pane", "-o", "-t", target, captureCommand(outputFile)],
        ["set-option", "-t", target, "destroy-unattached", "off"],
        ["set-option", "-w", "-t", target, "remain-on-exit", "off"],
      ];
      const result = await tmux(commands.flatMap((words) => [...words.map(literally), ";"]));
      if (result.kind !== "exited" || result.exitCode !== 0)
        throw failure(result, "start the session");
    },
    async list() {
      const format = "#{session_created} #{pane_pid} #{session_name} #{session_path}";
      const result = await tmux(["list-sessions", "-F", format]);
      if (result.kind === "timed-out") throw failure(result, "list its sessions");
      // Without a server there are no sessions.
      if (result.kind !== "exited" || result.exitCode !== 0) return [];
      return result.stdout.split("\n").flatMap(sessionIn);
    },
    async end(name) {
      const result = await tmux(["kill-session", "-t", exactly(name)]);
      return result.kind === "exited" && result.exitCode === 0;
    },
  };
}

/** What a person types to look at it. */
export const attachCommand = (name: string): string[] => [
  "tmux",
  "attach-session",
  "-t",
  exactly(name),
];

const exactly = (name: string): string => `=${name}:`;

/** To tmux a last semicolon ends a command, wherever it stands. */
const literally = (word: string): string => (word.endsWith(";") ? `${word.slice(0, -1)}\\;` : word);

/** Where tmux expands formats, which may even run commands; `#[` alone it leaves as it is. */
const asFormat = (text: string): string =>
  text.replaceAll(/#+(?<style>\[)?/g, (marks, style) =>
    style === undefined ? marks + marks : marks,
  );

/** tmux takes a shell command here, after it has expanded formats and times in it. */
function captureCommand(file: string): string {
  return `exec cat >> ${asFormat(shellQuoted(file)).replaceAll("%", "%%")}`;
}

/** Saga's own names have no spaces; a session whose name has some is none of them. */
function sessionIn(line: string): Session[] {
  const found = /^(?<created>\d+) (?<pid>\d+) (?<name>\S+) (?<folder>.*)$/.exec(line)?.groups;
  if (!found) return [];
  const { created, pid, name = "", folder = "" } = found;
  return [{ name, startedAtMs: Number(created) * 1000, pid: Number(pid), folder }];
}

function failure(result: RunResult, what: string): SagaError {
  if (result.kind === "missing") {
    return new SagaError("program-failed", "There is no tmux on this machine.", {
      hint: "`saga doctor` says how to install it; `saga run --foreground` needs none.",
    });
  }
  const said = result.stderr.trim() || `it ended as ${result.kind}`;
  return new SagaError("program-failed", `tmux could not ${what}: ${said}`, {
    hint: "`saga run --foreground` works without it.",
  });
}
