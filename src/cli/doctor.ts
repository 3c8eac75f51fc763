// What must be in place for Saga to work, each with the way to mend it. Nothing here changes a thing.

import { statfsSync } from "node:fs";
import { claudeLogin, claudeVersion, missingTaskTools } from "../claude/probe.ts";
import { findClaude } from "../claude/find.ts";
import { sandboxFault } from "../claude/sandbox.ts";
import { SagaError } from "../errors.ts";
import { plainEnvironment, type Environment } from "../machine/environment.ts";
import { run, type RunResult } from "../machine/run.ts";
import { loadSettings } from "../store/config.ts";
import { openStore } from "../store/file-store.ts";
import { findProject, layoutOf } from "../store/layout.ts";
import { count } from "./output.ts";
import {
  SESSION_FOLDER_FIX,
  sessionFolderFault,
  sessionFolderPath,
} from "../store/session-folder.ts";

export interface Diagnosis {
  readonly name: string;
  /** `warn`: works, but something will be missing. */
  readonly verdict: "ok" | "warn" | "fail";
  readonly found: string;
  readonly fix?: string | undefined;
}

export interface Patient {
  readonly cwd: string;
  readonly env: Environment;
  readonly userId: number | undefined;
}

type Examination = (patient: Patient) => Promise<readonly Diagnosis[]>;

export async function examine(patient: Patient): Promise<Diagnosis[]> {
  const examinations: readonly Examination[] = [
    node,
    git,
    tmux,
    claude,
    sandbox,
    forge,
    project,
    leases,
    disk,
    sessionFolder,
  ];
  const results = examinations.map((one) => one(patient).catch((error) => fault(one.name, error)));
  return (await Promise.all(results)).flat();
}

/** Older ones lack `worktree repair` and `merge-tree` as they are used here. */
const OLDEST_GIT = "2.38";
/** The first whose `new-session` takes an environment. */
const OLDEST_TMUX = "3.2";
const OLDEST_CLAUDE = "2.1.233";
const OLDEST_NODE = "20.19";
const LITTLE_SPACE_BYTES = 2_000_000_000;

const ok = (name: string, found: string): Diagnosis => ({ name, verdict: "ok", found });
const warn = (name: string, found: string, fix: string): Diagnosis => ({
  name,
  verdict: "warn",
  found,
  fix,
});
const fail = (name: string, found: string, fix: string): Diagnosis => ({
  name,
  verdict: "fail",
  found,
  fix,
});

/** One organ that cannot be looked at does not end the examination. */
function fault(name: string, error: unknown): Diagnosis[] {
  const { message, hint } =
    error instanceof SagaError ? error : new SagaError("bug", String(error));
  return [fail(name, message, hint ?? "Run `saga validate`.")];
}

const node: Examination = async () =>
  isAtLeast(process.versions.node, OLDEST_NODE)
    ? [ok("node", process.versions.node)]
    : [fail("node", process.versions.node, `Install Node ${OLDEST_NODE} or newer.`)];

async function git({ env, cwd }: Patient): Promise<Diagnosis[]> {
  const version = versionIn(await ask("git", ["--version"], env, cwd));
  if (version === undefined) return [fail("git", "not found", installHint("git"))];
  if (!isAtLeast(version, OLDEST_GIT)) {
    return [fail("git", version, `Install git ${OLDEST_GIT} or newer.`)];
  }
  const name = await ask("git", ["config", "user.name"], env, cwd);
  const email = await ask("git", ["config", "user.email"], env, cwd);
  const inside = await ask("git", ["rev-parse", "--show-toplevel"], env, cwd);
  return [
    ok("git", version),
    succeeded(inside)
      ? ok("repository", inside.stdout.trim())
      : fail("repository", "this folder is in no git repository", "Run `git init`."),
    succeeded(name) && succeeded(email)
      ? ok("git author", `${name.stdout.trim()} <${email.stdout.trim()}>`)
      : fail(
          "git author",
          "git does not know who commits",
          'Run `git config --global user.name "…"` and the same for user.email.',
        ),
  ];
}

async function tmux({ env, cwd }: Patient): Promise<Diagnosis[]> {
  const version = versionIn(await ask("tmux", ["-V"], env, cwd));
  if (version === undefined) return [fail("tmux", "not found", installHint("tmux"))];
  return isAtLeast(version, OLDEST_TMUX)
    ? [ok("tmux", version)]
    : [fail("tmux", version, `Install tmux ${OLDEST_TMUX} or newer.`)];
}

async function claude({ env, cwd }: Patient): Promise<Diagnosis[]> {
  const top = findProject(cwd) ?? cwd;
  const configured = loadSettings(layoutOf(top)).settings.claude.path;
  const found = findClaude(configured, env, top);
  if (!found) {
    return configured === undefined
      ? [
          fail(
            "claude",
            "not found",
            "Install Claude Code: `npm install -g @anthropic-ai/claude-code`.",
          ),
        ]
      : [
          fail(
            "claude",
            `${configured} cannot be run`,
            "Correct it with `saga config set claude.path <path>`.",
          ),
        ];
  }
  const version = await claudeVersion(found.path, env);
  if (version === undefined) {
    return [fail("claude", `${found.path} does not answer`, "Install Claude Code again.")];
  }
  const [login, missing] = await Promise.all([
    claudeLogin(found.path, env),
    missingTaskTools(found.path, env),
  ]);
  const where = found.from === "package" ? "the one that came with Saga" : found.path;
  return [
    isAtLeast(version, OLDEST_CLAUDE)
      ? ok("claude", `${version}, ${where}`)
      : warn(
          "claude",
          `${version}, ${where}`,
          `Run \`claude update\`: ${OLDEST_CLAUDE} or newer is tried.`,
        ),
    login.isLoggedIn === undefined
      ? warn(
          "claude login",
          "it does not tell",
          "Run `claude` once and see whether it asks you to log in.",
        )
      : login.isLoggedIn
        ? ok("claude login", `by ${login.method.replaceAll("_", " ")}`)
        : fail(
            "claude login",
            "nobody is logged in",
            "Run `claude auth login`, or set ANTHROPIC_API_KEY.",
          ),
    missing === undefined
      ? warn("task tools", "could not be asked for", "Run `claude --version` and see what it says.")
      : missing.length === 0
        ? ok("task tools", "available")
        : fail("task tools", `missing: ${missing.join(", ")}`, "Run `claude update`."),
  ];
}

/** Only where the settings want it. */
async function sandbox({ env, cwd }: Patient): Promise<Diagnosis[]> {
  const { settings } = loadSettings(layoutOf(findProject(cwd) ?? cwd));
  if (!settings.claude.sandbox) return [];
  const fault = await sandboxFault(env);
  return fault ? [fail("sandbox", fault.found, fault.fix)] : [ok("sandbox", "works here")];
}

async function forge({ env, cwd }: Patient): Promise<Diagnosis[]> {
  const version = versionIn(await ask("gh", ["--version"], env, cwd));
  if (version === undefined) {
    return [
      warn(
        "gh",
        "not found: pull requests are kept locally",
        `${installHint("gh")} It is only needed for GitHub.`,
      ),
    ];
  }
  const login = await ask("gh", ["auth", "status"], env, cwd);
  return [
    ok("gh", version),
    succeeded(login)
      ? ok("gh login", "logged in")
      : warn(
          "gh login",
          "nobody is logged in: pull requests are kept locally",
          "Run `gh auth login`.",
        ),
  ];
}

async function project({ cwd }: Patient): Promise<Diagnosis[]> {
  const top = findProject(cwd);
  if (top === undefined)
    return [fail("project", "there is no .saga folder here", "Run `saga init`.")];
  const { problems, counts } = await openStore(top).validate();
  const errors = problems.filter((problem) => problem.severity === "error").length;
  return errors === 0
    ? [ok("project", `${top}, ${count(counts.stories, "story", "stories")}`)]
    : [fail("project", `${count(errors, "error")} in its files`, "Run `saga validate`.")];
}

/** A dead owner's lease is taken over by whoever needs it next; it only tells that work was cut off. */
async function leases({ cwd }: Patient): Promise<Diagnosis[]> {
  const top = findProject(cwd);
  if (top === undefined) return [];
  const dead = (await openStore(top).leases.list()).filter((lease) => lease.life === "dead");
  if (dead.length === 0) return [ok("leases", "none left by a dead process")];
  const names = dead.map(({ name, record }) => `${name} (process ${record.pid})`).join(", ");
  return [
    warn(
      "leases",
      `left by a dead process: ${names}`,
      "Nothing to do: the next command or run that needs one takes it over.",
    ),
  ];
}

async function disk({ cwd }: Patient): Promise<Diagnosis[]> {
  const { bavail, bsize } = statfsSync(cwd);
  const free = bavail * bsize;
  const text = `${(free / 1e9).toFixed(1)} GB free`;
  return free < LITTLE_SPACE_BYTES
    ? [warn("disk", text, "Make room: every running story is a checkout of its own.")]
    : [ok("disk", text)];
}

async function sessionFolder({ env, userId }: Patient): Promise<Diagnosis[]> {
  const path = sessionFolderPath(env);
  const fault = sessionFolderFault(path, userId);
  return fault === undefined
    ? [ok("session folder", path)]
    : [fail("session folder", `${path} ${fault}`, SESSION_FOLDER_FIX)];
}

const ask = (
  program: string,
  args: readonly string[],
  env: Environment,
  cwd: string,
): Promise<RunResult> =>
  run(program, args, {
    cwd,
    env: {
      ...plainEnvironment(env, ["GH_TOKEN", "GITHUB_TOKEN"]),
      GIT_TERMINAL_PROMPT: "0",
      GH_PROMPT_DISABLED: "1",
    },
    timeoutMs: 10_000,
  });

const succeeded = (result: RunResult): result is Extract<RunResult, { kind: "exited" }> =>
  result.kind === "exited" && result.exitCode === 0;

const versionIn = (result: RunResult): string | undefined =>
  succeeded(result) ? /\d+\.\d+(?:\.\d+)?/.exec(result.stdout)?.[0] : undefined;

export function isAtLeast(version: string, oldest: string): boolean {
  const parts = version.split(".").map(Number);
  for (const [at, wanted] of oldest.split(".").map(Number).entries()) {
    const has = parts[at] ?? 0;
    if (has !== wanted) return has > wanted;
  }
  return true;
}

const installHint = (program: string): string =>
  process.platform === "darwin"
    ? `Run \`brew install ${program}\`.`
    : `Run \`apt-get install ${program}\`, or your system's own way.`;
