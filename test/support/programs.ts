// Real processes for tests: the built program, and small ones made from the sources.

import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { onTestFinished } from "vitest";

export const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
export const builtSaga = join(root, "dist/cli/main.cjs");
export const killAtHook = join(root, "test/support/kill-at.cjs");

/** For a program with `killAtHook`: it dies at its Nth effect, or never with 0. */
export const killVariables = (killAt: number, countIn = "/dev/null") => ({
  KILL_COARSELY: "1",
  KILL_AT: String(killAt),
  COUNT_EFFECTS: countIn,
});

export interface Ended {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The environment of a person's shell, with its own home folder. */
export const plainEnv = (home: string, more: Record<string, string> = {}): NodeJS.ProcessEnv => ({
  PATH: process.env["PATH"],
  HOME: home,
  ...more,
});

export function runNode(
  args: readonly string[],
  options: {
    cwd: string;
    env?: NodeJS.ProcessEnv;
    input?: string;
    onStart?: (child: ChildProcess) => void;
  },
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...args], {
      cwd: options.cwd,
      env: options.env ?? plainEnv(options.cwd),
    });
    let stdout = "";
    let stderr = "";
    child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
    child.stdin.on("error", () => undefined);
    child.stdin.end(options.input ?? "");
    child.on("error", reject);
    child.on("close", (exitCode, signal) => resolve({ exitCode, signal, stdout, stderr }));
    options.onStart?.(child);
  });
}

/** The shipped program. */
export const saga = (cwd: string, words: readonly string[], input = ""): Promise<Ended> =>
  runNode([builtSaga, ...words], { cwd, input });

/** One file of the tests with everything it imports, as a program that Node can run. */
export async function bundle(entry: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "saga-program-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const outfile = join(folder, "program.mjs");
  await build({
    entryPoints: [join(root, entry)],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    mainFields: ["module", "main"],
    // For packages that require Node's modules.
    banner: {
      js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    },
    logLevel: "warning",
  });
  return outfile;
}
