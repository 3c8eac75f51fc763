// The checks of `saga doctor`. They change nothing.

import { statfsSync } from "node:fs";
import { claudeLogin, claudeVersion, missingTaskTools } from "../../claude/probe.ts";
import { findClaude, type FoundClaude } from "../../claude/find.ts";
import { sandboxProblem } from "../../claude/sandbox/settings.ts";
import { isSupported } from "../../claude/supported.ts";
import { SagaError } from "../../errors.ts";
import { plainEnvironment, type Environment } from "../../machine/processes/environment.ts";
import { run, type ProgramResult } from "../../machine/processes/run.ts";
import { shellWord } from "../../text/shell-quote.ts";
import { isAtLeast } from "../../text/version.ts";
import { loadSettings } from "../../store/project/config.ts";
import { openStore } from "../../store/file-store.ts";
import { findProject, layoutOf } from "../../store/project/layout.ts";
import { sessionFolderProblem, sessionFolderPath } from "../../store/project/session-folder.ts";
import { count } from "../../text/plural.ts";
import { finding, ok, type Diagnosis, type DoctorCheck, type DoctorContext } from "./diagnosis.ts";
import { LITTLE_SPACE_BYTES, OLDEST_GIT, OLDEST_NODE, OLDEST_TMUX, FINDINGS } from "./findings.ts";
import { fleet } from "./fleet.ts";

export async function diagnose(patient: DoctorContext): Promise<Diagnosis[]> {
  const checks: readonly DoctorCheck[] = [
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
    fleet,
  ];
  const results = checks.map((one) => one(patient).catch((error) => failedCheck(one.name, error)));
  return (await Promise.all(results)).flat();
}

/** A check that throws does not end the others. */
export function failedCheck(name: string, error: unknown): Diagnosis[] {
  const { message, hint } =
    error instanceof SagaError ? error : new SagaError("bug", String(error));
  return [finding("unexamined", message, { name, ...(hint !== undefined && { fix: hint }) })];
}

const node: DoctorCheck = async () =>
  isAtLeast(process.versions.node, OLDEST_NODE)
    ? [ok("node", process.versions.node)]
    : [finding("oldNode", process.versions.node)];

async function git({ env, cwd }: DoctorContext): Promise<Diagnosis[]> {
  const version = versionIn(await ask("git", ["--version"], env, cwd));
  if (version === undefined) return [finding("noGit")];
  if (!isAtLeast(version, OLDEST_GIT)) return [finding("oldGit", version)];
  const name = await ask("git", ["config", "user.name"], env, cwd);
  const email = await ask("git", ["config", "user.email"], env, cwd);
  return [
    ok("git", version),
    await repository({ env, cwd }),
    succeeded(name) && succeeded(email)
      ? ok("git author", `${name.stdout.trim()} <${email.stdout.trim()}>`)
      : finding("noAuthor"),
  ];
}

async function repository({ env, cwd }: Omit<DoctorContext, "userId">): Promise<Diagnosis> {
  const inside = await ask("git", ["rev-parse", "--show-toplevel"], env, cwd);
  if (!succeeded(inside)) return finding("noRepository");
  const top = inside.stdout.trim();
  const project = findProject(cwd);
  const below = project && (await ask("git", ["rev-parse", "--show-prefix"], env, project));
  if (below && succeeded(below) && below.stdout.trim() !== "") return finding("notTop", top);
  const refs = await ask("git", ["for-each-ref", "--count=1", "--format=%(refname)"], env, cwd);
  const head = await ask("git", ["rev-parse", "--verify", "--quiet", "HEAD"], env, cwd);
  const hasCommit = succeeded(head) || (succeeded(refs) && refs.stdout.trim() !== "");
  return hasCommit ? ok("repository", top) : finding("noCommit");
}

async function tmux({ env, cwd }: DoctorContext): Promise<Diagnosis[]> {
  const version = versionIn(await ask("tmux", ["-V"], env, cwd));
  if (version === undefined) return [finding("noTmux")];
  return [isAtLeast(version, OLDEST_TMUX) ? ok("tmux", version) : finding("oldTmux", version)];
}

async function claude({ env, cwd }: DoctorContext): Promise<Diagnosis[]> {
  const top = findProject(cwd) ?? cwd;
  const configured = loadSettings(layoutOf(top)).settings.claude.path;
  const found = findClaude(configured, env, top);
  if (!found) {
    return [configured === undefined ? finding("noClaude") : finding("wrongClaude", configured)];
  }
  const version = await claudeVersion(found.path, env);
  if (version === undefined) return [finding("muteClaude", found.path)];
  const [login, missing] = await Promise.all([
    claudeLogin(found.path, env),
    missingTaskTools(found.path, env),
  ]);
  const where = found.from === "package" ? "bundled with Saga" : found.path;
  const which = `${version}, ${where}`;
  return [
    isSupported(version) ? ok("claude", which) : finding("oldClaude", which),
    login.isLoggedIn === undefined
      ? finding("unknownLogin", "", withOwnPath("unknownLogin", found))
      : login.isLoggedIn
        ? ok(
            "claude login",
            `by ${login.method.replaceAll("_", " ").replace("api key", "API key")}`,
          )
        : finding("noLogin", "", withOwnPath("noLogin", found)),
    missing === undefined
      ? finding("unknownTools")
      : missing.length === 0
        ? ok("task tools", "available")
        : finding("noTools", missing.join(", ")),
  ];
}

/** If Claude Code is not on PATH, the fix names its full path. */
export function withOwnPath(
  kind: "unknownLogin" | "noLogin",
  { path, from }: FoundClaude,
): Partial<Diagnosis> {
  if (from === "PATH") return {};
  return { fix: FINDINGS[kind].fix.replace("`claude", () => `\`${shellWord(path)}`) };
}

/** Only if the settings turn the sandbox on. */
async function sandbox({ env, cwd }: DoctorContext): Promise<Diagnosis[]> {
  const { settings } = loadSettings(layoutOf(findProject(cwd) ?? cwd));
  if (!settings.claude.sandbox) return [];
  const found = await sandboxProblem(env);
  return [found ? finding("noSandbox", "", found) : ok("sandbox", "works here")];
}

async function forge({ env, cwd }: DoctorContext): Promise<Diagnosis[]> {
  const version = versionIn(await ask("gh", ["--version"], env, cwd));
  if (version === undefined) return [finding("noGh")];
  const login = await ask("gh", ["auth", "status"], env, cwd);
  return [ok("gh", version), succeeded(login) ? ok("gh login", "logged in") : finding("noGhLogin")];
}

async function project({ cwd }: DoctorContext): Promise<Diagnosis[]> {
  const top = findProject(cwd);
  if (top === undefined) return [finding("noProject")];
  const { problems, counts } = await openStore(top).validate();
  const errors = problems.filter((problem) => problem.severity === "error").length;
  return [
    errors === 0
      ? ok("project", `${top}, ${count(counts.stories, "story", "stories")}`)
      : finding("brokenProject", count(errors, "error")),
  ];
}

/** A dead process's lease is harmless: the next process that needs it takes it over. */
async function leases({ cwd }: DoctorContext): Promise<Diagnosis[]> {
  const top = findProject(cwd);
  if (top === undefined) return [];
  const dead = (await openStore(top).leases.list()).filter((lease) => lease.life === "dead");
  if (dead.length === 0) return [ok("locks", "none stale")];
  const names = dead.map(({ name, record }) => `${name} (process ${record.pid})`).join(", ");
  return [finding("deadLeases", names)];
}

async function disk({ cwd }: DoctorContext): Promise<Diagnosis[]> {
  const { bavail, bsize } = statfsSync(cwd);
  const free = bavail * bsize;
  const text = `${(free / 1e9).toFixed(1)} GB free`;
  return [free < LITTLE_SPACE_BYTES ? finding("littleSpace", text) : ok("disk", text)];
}

async function sessionFolder({ env, userId }: DoctorContext): Promise<Diagnosis[]> {
  const path = sessionFolderPath(env);
  const found = sessionFolderProblem(path, userId);
  return [
    found === undefined ? ok("session folder", path) : finding("sessionFolder", `${path} ${found}`),
  ];
}

const ask = (
  program: string,
  args: readonly string[],
  env: Environment,
  cwd: string,
): Promise<ProgramResult> =>
  run(program, args, {
    cwd,
    env: {
      // A worker's git uses the same files, and the author may be set there.
      ...plainEnvironment(env, [
        "GIT_CONFIG_GLOBAL",
        "GIT_CONFIG_SYSTEM",
        "GH_TOKEN",
        "GITHUB_TOKEN",
      ]),
      GIT_TERMINAL_PROMPT: "0",
      GH_PROMPT_DISABLED: "1",
    },
    timeoutMs: 10_000,
  });

const succeeded = (result: ProgramResult): result is Extract<ProgramResult, { kind: "exited" }> =>
  result.kind === "exited" && result.exitCode === 0;

const versionIn = (result: ProgramResult): string | undefined =>
  succeeded(result) ? versionOf(result.stdout) : undefined;

/** In what git, tmux or gh prints. */
export const versionOf = (text: string): string | undefined =>
  /\d+\.\d+(?:\.\d+|[a-z]\b)?/.exec(text)?.[0];
