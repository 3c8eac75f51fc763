import { join, relative } from "node:path";
import { readTextIfThere } from "../../machine/files.ts";
import { plainEnvironment } from "../../machine/environment.ts";
import { run } from "../../machine/run.ts";
import { configFile, IGNORED, layoutOf, type Layout } from "../../store/layout.ts";
import { requireSettings } from "../../store/config.ts";
import { commit, hasTransaction } from "../../store/transaction.ts";
import { hasLocks, withProjectLock } from "../../store/write-lock.ts";
import { commentedConfig } from "../../story/settings.ts";
import type { Build } from "../command.ts";
import { plain } from "../output.ts";

export const build: Build = (shell) =>
  shell.action(
    shell.command("init", "Set up a project: .saga folder, ignore rules, settings.", [
      "saga init                   in your repository; repeating it is harmless",
      "saga init -C ../other",
    ]),
    async ({ cwd, io }) => {
      const top = await topOfRepository(cwd, plainEnvironment(io.env));
      const project = top ?? cwd;
      const at = layoutOf(project);
      requireSettings(at);
      const files = isSetUp(at) ? wantedFiles(at) : await setUp(at);
      return {
        json: {
          project,
          isGitRepository: top !== undefined,
          files: files.map(({ file, action }) => ({ file, action })),
        },
        text: (paint) =>
          [
            `Saga is set up in ${paint("bold", plain(project))}.`,
            ...files.map(
              ({ file, action }) => `  ${action.padEnd(8)} ${plain(relative(project, file))}`,
            ),
            ...(top === undefined
              ? [
                  paint("yellow", "This is not a git repository yet."),
                  "Run `git init` before a story is started: each gets a branch of its own.",
                ]
              : []),
            "",
            "Next:",
            '  saga new story add-login --title "Add a login page" --description "…"',
            "  saga doctor",
            "",
          ].join("\n"),
      };
    },
  );

interface WantedFile {
  readonly file: string;
  readonly action: "created" | "updated" | "kept";
  /** What to write, when there is something to write. */
  readonly text?: string;
}

const wantedFiles = (at: Layout): WantedFile[] => [ignoreRules(at), settingsFile(at)];

/** Then there is nothing to write, and a read-only disk is no obstacle. */
const isSetUp = (at: Layout): boolean =>
  wantedFiles(at).every((one) => one.text === undefined) &&
  !hasLocks(at.saga) &&
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

/** Keeps whatever a person has added. */
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

function settingsFile(at: Layout): WantedFile {
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
