// Sessions that outlive the process that started them. Names are always matched exactly: tmux would take `a` for `ab`.

import { SagaError } from "../../errors.ts";
import { plainEnvironment, type Environment } from "../processes/environment.ts";
import { run, type ProgramResult } from "../processes/run.ts";
import { shellQuote } from "../../text/shell-quote.ts";

export interface NewTmuxSession {
  readonly name: string;
  readonly cwd: string;
  /** Set explicitly: otherwise the session gets the environment that the tmux server started with. */
  readonly env: Readonly<Record<string, string>>;
  readonly command: readonly string[];
  /** All output is appended here. */
  readonly outputFile: string;
}

export interface TmuxSession {
  readonly name: string;
  readonly startedAtMs: number;
  /** Of the process in it. */
  readonly pid: number;
  /** The folder it was started in. */
  readonly folder: string;
}

export interface Tmux {
  readonly start: (session: NewTmuxSession) => Promise<void>;
  readonly list: () => Promise<readonly TmuxSession[]>;
  /** Ends a session and its processes; false when it does not exist. */
  readonly end: (name: string) => Promise<boolean>;
}

const TIMEOUT_MS = 10_000;
/** Wide enough that log lines are not wrapped before they are captured. */
const SIZE = ["-x", "250", "-y", "50"];

export const tmuxEnvironment = (env: Environment): Record<string, string> =>
  plainEnvironment(env, ["TMUX_TMPDIR"]);

export function openTmux(env: Environment): Tmux {
  const tmux = (args: readonly string[]): Promise<ProgramResult> =>
    run("tmux", args, { env: tmuxEnvironment(env), timeoutMs: TIMEOUT_MS });
  return {
    async start({ name, cwd, env: variables, command, outputFile }) {
      const target = exactly(name);
      const pairs = Object.entries(variables).flatMap(([key, value]) => ["-e", `${key}=${value}`]);
      const place = ["-s", name, "-c", asFormat(cwd)];
      const session = ["new-session", "-d", ...place, ...SIZE, ...pairs, "--"];
      // In one call, so that the pane is captured before its program prints anything. The user's own settings must
      // neither end the session early nor keep it after its end.
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
      // No server: no sessions.
      if (result.kind !== "exited" || result.exitCode !== 0) return [];
      return result.stdout.split("\n").flatMap(sessionIn);
    },
    async end(name) {
      const result = await tmux(["kill-session", "-t", exactly(name)]);
      return result.kind === "exited" && result.exitCode === 0;
    },
  };
}

export const attachCommand = (name: string): string[] => [
  "tmux",
  "attach-session",
  "-t",
  exactly(name),
];

const exactly = (name: string): string => `=${name}:`;

/** tmux takes a trailing semicolon of any word as the end of a command. */
const literally = (word: string): string => (word.endsWith(";") ? `${word.slice(0, -1)}\\;` : word);

/** Escapes tmux formats, which may even run commands; tmux does not expand `#[`. */
const asFormat = (text: string): string =>
  text.replaceAll(/#+(?<style>\[)?/g, (marks, style) =>
    style === undefined ? marks + marks : marks,
  );

/** tmux takes a shell command here, and expands formats and times in it first. */
function captureCommand(file: string): string {
  return `exec cat >> ${asFormat(shellQuote(file)).replaceAll("%", "%%")}`;
}

/** Names with spaces are skipped: Saga's own have none. */
function sessionIn(line: string): TmuxSession[] {
  const found = /^(?<created>\d+) (?<pid>\d+) (?<name>\S+) (?<folder>.*)$/.exec(line)?.groups;
  if (!found) return [];
  const { created, pid, name = "", folder = "" } = found;
  return [{ name, startedAtMs: Number(created) * 1000, pid: Number(pid), folder }];
}

function failure(result: ProgramResult, what: string): SagaError {
  if (result.kind === "missing") {
    return new SagaError("program-failed", "tmux is not installed.", {
      hint: "Run `saga doctor` to see how to install it, or use `saga run --foreground`.",
    });
  }
  const reason = result.stderr.trim() || result.kind;
  return new SagaError("program-failed", `tmux could not ${what}: ${reason}`, {
    hint: "To run without tmux: `saga run --foreground`.",
  });
}
