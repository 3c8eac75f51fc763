import { join, relative } from "node:path";
import { findClaude } from "../../../claude/find.ts";
import { installPlugin, removePlugin, settingsFile } from "../../../claude/plugin.ts";
import { SagaError } from "../../../errors.ts";
import { readTextIfThere } from "../../../machine/files/files.ts";
import { plainEnvironment } from "../../../machine/processes/environment.ts";
import { run } from "../../../machine/processes/run.ts";
import { configFile, IGNORED, layoutOf, type Layout } from "../../../store/project/layout.ts";
import { requireSettings } from "../../../store/project/config.ts";
import { commit, hasTransaction } from "../../../store/write/transaction.ts";
import { hasLockFiles } from "../../../machine/files/folder-lock.ts";
import { withProjectLock } from "../../../store/write/write-lock.ts";
import { commentedConfig } from "../../../story/settings/settings.ts";
import type { Build } from "../../program/command.ts";
import { askInitQuestions } from "../../init/ask-questions.ts";
import type { Io } from "../../program/io.ts";
import { plain } from "../../output/terminal.ts";

export const build: Build = (builder) =>
  builder.action(
    builder
      .command("init", "Set up a project: .saga folder, ignore rules, settings.", [
        "saga init                   in your repository; asks four questions in a terminal; safe to repeat",
        "saga init --yes             asks nothing",
        "saga init --claude          also add Saga's plugin for Claude Code: skills and hooks",
        "saga init --no-claude       remove the plugin",
        "saga init -C ../other",
      ])
      .option("-y, --yes", "take the defaults; ask nothing")
      .option("--claude", "add Saga's plugin to the project's Claude Code settings")
      .option("--no-claude", "remove the plugin from the project's Claude Code settings"),
    async ({ cwd, io }, _, { claude, yes = false, json = false }: InitOptions) => {
      const top = await topOfRepository(cwd, plainEnvironment(io.env));
      const project = top ?? cwd;
      const at = layoutOf(project);
      requireSettings(at);
      const files = isSetUp(at) ? wantedFiles(at) : await setUp(at);
      const isNew = files.some(
        ({ file, action }) => file === configFile(at) && action === "created",
      );
      const mayAsk = isNew && io.isTerminal && !yes && !json;
      const settings = mayAsk ? await askInitQuestions(io, at) : [];
      const plugin = claude === undefined ? undefined : await setPlugin(at, io, claude);
      return {
        json: {
          project,
          isGitRepository: top !== undefined,
          files: files.map(({ file, action }) => ({ file, action })),
          ...(plugin && { plugin }),
        },
        text: (paint) =>
          [
            `Saga is set up in ${paint("bold", plain(project))}.`,
            ...files.map(
              ({ file, action }) =>
                `  ${(action === "kept" ? "exists" : action).padEnd(8)} ${plain(relative(project, file))}`,
            ),
            ...settings.map(
              ({ key, value }) => `  set      ${key} = ${plain(JSON.stringify(value))}`,
            ),
            ...(plugin ? pluginLines(plugin, project) : []),
            ...(top === undefined
              ? [
                  paint("yellow", "This is not a git repository yet."),
                  "Run `git init` before you start a story: each story gets its own branch.",
                ]
              : []),
            "",
            "Next:",
            ...NEXT_STEPS.map((step) => `  ${step}`),
            "",
          ].join("\n"),
      };
    },
  );

/** They work as typed, in this order. */
const NEXT_STEPS = [
  'saga new story add-login --description "People sign in with mail and password."',
  'git add .saga && git commit -m "Plan the login"',
  "saga doctor",
  "saga run add-login",
];

interface InitOptions {
  readonly yes?: boolean;
  readonly json?: boolean;
  /** Undefined without --claude and --no-claude. */
  readonly claude?: boolean;
}

interface PluginChange {
  readonly isInstalled: boolean;
  readonly settings: string;
}

async function setPlugin(at: Layout, io: Io, isWanted: boolean): Promise<PluginChange> {
  const found = findClaude(requireSettings(at).claude.path, io.env, at.project);
  if (found === undefined) {
    throw new SagaError("program-failed", "Claude Code is not installed.", {
      hint: "`saga doctor` says how to install it; everything else is set up.",
    });
  }
  const place = { claude: found.path, project: at.project, env: io.env };
  if (isWanted) await installPlugin(place);
  else await removePlugin(place);
  return { isInstalled: isWanted, settings: settingsFile(at.project) };
}

const pluginLines = ({ isInstalled, settings }: PluginChange, project: string): string[] =>
  isInstalled
    ? [
        `  on       the plugin for Claude Code, in ${plain(relative(project, settings))}`,
        "Commit that file, so that worktrees have the plugin too. Everyone else who works on the project",
        "also runs `saga init --claude` once, because Saga's folder differs between machines.",
        "In Claude Code, start with /saga:plan, /saga:execute-story or /saga:status.",
      ]
    : ["  off      the plugin for Claude Code"];

interface WantedFile {
  readonly file: string;
  readonly action: "created" | "updated" | "kept";
  /** The new content; undefined if the file is up to date. */
  readonly text?: string;
}

const wantedFiles = (at: Layout): WantedFile[] => [ignoreRules(at), configuration(at)];

/** If so, nothing is written, and init succeeds on a read-only disk. */
const isSetUp = (at: Layout): boolean =>
  wantedFiles(at).every((one) => one.text === undefined) &&
  !hasLockFiles(at.saga) &&
  !hasTransaction(at);

const setUp = (at: Layout): Promise<WantedFile[]> =>
  withProjectLock(
    at,
    () => [],
    (lock) => {
      const wanted = wantedFiles(lock);
      commit(
        lock,
        wanted.flatMap(({ file, text }) => (text === undefined ? [] : [{ path: file, text }])),
      );
      return wanted;
    },
  );

/** Keeps lines that a person has added. */
function ignoreRules(at: Layout): WantedFile {
  const file = join(at.saga, ".gitignore");
  const before = readTextIfThere(file);
  const lines = new Set((before ?? "").split("\n").map((line) => line.trim()));
  const missing = IGNORED.filter((rule) => !lines.has(rule));
  if (missing.length === 0) return { file, action: "kept" };
  const head = before === undefined ? "# Live state of Saga: never committed." : before.trimEnd();
  const text = `${[head, ...missing].join("\n")}\n`;
  return { file, action: before === undefined ? "created" : "updated", text };
}

function configuration(at: Layout): WantedFile {
  const file = configFile(at);
  return readTextIfThere(file) === undefined
    ? { file, action: "created", text: commentedConfig() }
    : { file, action: "kept" };
}

async function topOfRepository(
  cwd: string,
  env: Record<string, string>,
): Promise<string | undefined> {
  const result = await run("git", ["rev-parse", "--show-toplevel"], {
    cwd,
    env,
    timeoutMs: 10_000,
  });
  const isFound = result.kind === "exited" && result.exitCode === 0;
  return isFound ? result.stdout.replace(/\n$/, "") : undefined;
}
