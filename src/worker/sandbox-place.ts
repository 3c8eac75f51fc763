// Where the agent's shell commands may write, when the settings want them in the sandbox.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { guardedIn, type SandboxPlace } from "../claude/sandbox.ts";
import type { PlacedWork } from "./work.ts";

export async function sandboxPlace({
  settings,
  repository,
  gitDir,
}: PlacedWork): Promise<SandboxPlace | undefined> {
  if (!settings.claude.sandbox) return undefined;
  const { git, commonDir } = repository;
  // What is not there cannot be guarded, and one bad line in this would stop every git.
  if (!existsSync(join(commonDir, "packed-refs"))) await git.attempt(["pack-refs"]);
  return { gitDir, guarded: guardedIn(commonDir), write: settings.claude.sandboxWrite };
}
