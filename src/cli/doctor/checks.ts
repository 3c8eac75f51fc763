// What must be in place for Saga to work, each with the way to mend it. Nothing here changes a thing.

import { statfsSync } from "node:fs";
import { claudeLogin, claudeVersion, missingTaskTools } from "../../claude/probe.ts";
import { findClaude, type FoundClaude } from "../../claude/find.ts";
import { sandboxFault } from "../../claude/sandbox/settings.ts";
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
import { LITTLE_SPACE_BYTES, OLDEST_GIT, OLDEST_NODE, OLDEST_TMUX, TROUBLES } from "./findings.ts";

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

const ok = (name: string, found: string): Diagnosis => ({ name, verdict: "ok", found });

/** What is wrong is one of those that are known; `…` in it is what was found. */
function trouble(kind: keyof typeof TROUBLES, found = "", own: Partial<Diagnosis> = {}): Diagnosis {
  const { name, verdict, found: says, fix } = TROUBLES[kind];
  return { name, verdict, found: says.replace("…", () => found), fix, ...own };
}

/** One organ that cannot be looked at does not end the examination. */
function fault(name: string, error: unknown): Diagnosis[] {
  const { message, hint } =
    error instanceof SagaError ? error : new SagaError("bug", String(error));
  return [trouble("unexamined", message, { name, ...(hint !== undefined && { fix: hint }) })];
}

const node: Examination = async () =>
  isAtLeast(process.versions.node, OLDEST_NODE)
    ? [ok("node", process.versions.node)]
    : [trouble("oldNode", process.versions.node)];

async function git({ env, cwd }: Patient): Promise<Diagnosis[]> {
  const version = versionIn(await ask("git", ["--version"], env, cwd));
  if (version === undefined) return [trouble("noGit")];
  if (!isAtLeast(version, OLDEST_GIT)) return [trouble("oldGit", version)];
  const name = await ask("git", ["config", "user.name"], env, cwd);
  const email = await ask("git", ["config", "user.email"], env, cwd);
  return [
    ok("git", version),
    await repository({ env, cwd }),
    succeeded(name) && succeeded(email)
      ? ok("git author", `${name.stdout.trim()} <${email.stdout.trim()}>`)
      : trouble("noAuthor"),
  ];
}

async function repository({ env, cwd }: Omit<Patient, "userId">): Promise<Diagnosis> {
  const inside = await ask("git", ["rev-parse", "--show-toplevel"], env, cwd);
  if (!succeeded(inside)) return trouble("noRepository");
  const top = inside.stdout.trim();
  const project = findProject(cwd);
  const below = project && (await ask("git", ["rev-parse", "--show-prefix"], env, project));
  if (below && succeeded(below) && below.stdout.trim() !== "") return trouble("notTop", top);
  const refs = await ask("git", ["for-each-ref", "--count=1", "--format=%(refname)"], env, cwd);
  const head = await ask("git", ["rev-parse", "--verify", "--quiet", "HEAD"], env, cwd);
  const hasCommit = succeeded(head) || (succeeded(refs) && refs.stdout.trim() !== "");
  return hasCommit ? ok("repository", top) : trouble("noCommit");
}

async function tmux({ env, cwd }: Patient): Promise<Diagnosis[]> {
  const version = versionIn(await ask("tmux", ["-V"], env, cwd));
  if (version === undefined) return [trouble("noTmux")];
  return [isAtLeast(version, OLDEST_TMUX) ? ok("tmux", version) : trouble("oldTmux", version)];
}

async function claude({ env, cwd }: Patient): Promise<Diagnosis[]> {
  const top = findProject(cwd) ?? cwd;
  const configured = loadSettings(layoutOf(top)).settings.claude.path;
  const found = findClaude(configured, env, top);
  if (!found) {
    return [configured === undefined ? trouble("noClaude") : trouble("wrongClaude", configured)];
  }
  const version = await claudeVersion(found.path, env);
  if (version === undefined) return [trouble("muteClaude", found.path)];
  const [login, missing] = await Promise.all([
    claudeLogin(found.path, env),
    missingTaskTools(found.path, env),
  ]);
  const where = found.from === "package" ? "the one that came with Saga" : found.path;
  const which = `${version}, ${where}`;
  return [
    isSupported(version) ? ok("claude", which) : trouble("oldClaude", which),
    login.isLoggedIn === undefined
      ? trouble("unknownLogin", "", typed("unknownLogin", found))
      : login.isLoggedIn
        ? ok("claude login", `by ${login.method.replaceAll("_", " ")}`)
        : trouble("noLogin", "", typed("noLogin", found)),
    missing === undefined
      ? trouble("unknownTools")
      : missing.length === 0
        ? ok("task tools", "available")
        : trouble("noTools", missing.join(", ")),
  ];
}

/** One that is not on the path of whoever types is named by its own. */
function typed(kind: "unknownLogin" | "noLogin", { path, from }: FoundClaude): Partial<Diagnosis> {
  if (from === "PATH") return {};
  return { fix: TROUBLES[kind].fix.replace("`claude", () => `\`${shellWord(path)}`) };
}

/** Only where the settings want it. */
async function sandbox({ env, cwd }: Patient): Promise<Diagnosis[]> {
  const { settings } = loadSettings(layoutOf(findProject(cwd) ?? cwd));
  if (!settings.claude.sandbox) return [];
  const found = await sandboxFault(env);
  return [found ? trouble("noSandbox", "", found) : ok("sandbox", "works here")];
}

async function forge({ env, cwd }: Patient): Promise<Diagnosis[]> {
  const version = versionIn(await ask("gh", ["--version"], env, cwd));
  if (version === undefined) return [trouble("noGh")];
  const login = await ask("gh", ["auth", "status"], env, cwd);
  return [ok("gh", version), succeeded(login) ? ok("gh login", "logged in") : trouble("noGhLogin")];
}

async function project({ cwd }: Patient): Promise<Diagnosis[]> {
  const top = findProject(cwd);
  if (top === undefined) return [trouble("noProject")];
  const { problems, counts } = await openStore(top).validate();
  const errors = problems.filter((problem) => problem.severity === "error").length;
  return [
    errors === 0
      ? ok("project", `${top}, ${count(counts.stories, "story", "stories")}`)
      : trouble("brokenProject", count(errors, "error")),
  ];
}

/** A dead owner's lease is taken over by whoever needs it next; it only tells that work was cut off. */
async function leases({ cwd }: Patient): Promise<Diagnosis[]> {
  const top = findProject(cwd);
  if (top === undefined) return [];
  const dead = (await openStore(top).leases.list()).filter((lease) => lease.life === "dead");
  if (dead.length === 0) return [ok("leases", "none left by a dead process")];
  const names = dead.map(({ name, record }) => `${name} (process ${record.pid})`).join(", ");
  return [trouble("deadLeases", names)];
}

async function disk({ cwd }: Patient): Promise<Diagnosis[]> {
  const { bavail, bsize } = statfsSync(cwd);
  const free = bavail * bsize;
  const text = `${(free / 1e9).toFixed(1)} GB free`;
  return [free < LITTLE_SPACE_BYTES ? trouble("littleSpace", text) : ok("disk", text)];
}

async function sessionFolder({ env, userId }: Patient): Promise<Diagnosis[]> {
  const path = sessionFolderPath(env);
  const found = sessionFolderProblem(path, userId);
  return [
    found === undefined ? ok("session folder", path) : trouble("sessionFolder", `${path} ${found}`),
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
      // Where git's own settings are: a worker's git is told too, and an author may stand there.
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
  succeeded(result) ? /\d+\.\d+(?:\.\d+|[a-z]\b)?/.exec(result.stdout)?.[0] : undefined;
