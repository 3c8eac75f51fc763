// Which Claude Code to use: the one in the settings, on PATH, or in Saga's own package.

import { createRequire } from "node:module";
import { resolve } from "node:path";
import type { Environment } from "../machine/processes/environment.ts";
import { findProgram, isProgram } from "../machine/processes/find-program.ts";

export interface FoundClaude {
  readonly path: string;
  readonly from: "settings" | "PATH" | "package";
}

export function findClaude(
  settingsPath: string | undefined,
  env: Environment,
  projectDir: string,
): FoundClaude | undefined {
  if (settingsPath !== undefined) {
    const path = resolve(projectDir, settingsPath.replace(/^~(?=\/)/, env["HOME"] ?? "~"));
    return isProgram(path) ? { path, from: "settings" } : undefined;
  }
  const installed = findProgram("claude", env);
  if (installed !== undefined) return { path: installed, from: "PATH" };
  const path = packagedClaude();
  return path === undefined ? undefined : { path, from: "package" };
}

/** The binary of the agent SDK's optional package for this kind of machine. */
function packagedClaude(): string | undefined {
  const sdk = createRequire(import.meta.url);
  const name = `@anthropic-ai/claude-agent-sdk-${process.platform}-${process.arch}`;
  for (const variant of [name, `${name}-musl`]) {
    try {
      const path = sdk.resolve(`${variant}/claude`);
      if (isProgram(path)) return path;
    } catch {
      // Optional packages are installed only for the machine they fit.
    }
  }
  return undefined;
}
