// Where the agent's shell commands may write, when the settings want them in the sandbox.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { guardedIn, type SandboxPlace } from "./settings.ts";
import type { Environment } from "../../machine/processes/environment.ts";
import type { Git } from "../../machine/programs/git.ts";
import { realStateFolder } from "../../machine/files/state-folder.ts";
import type { Settings } from "../../story/settings/settings.ts";

interface Place {
  readonly settings: Pick<Settings, "claude">;
  readonly repository: { readonly git: Git; readonly commonDir: string };
  /** Where git keeps what is the worktree's own. */
  readonly gitDir: string;
  readonly env: Environment;
}

export async function sandboxPlace({
  settings,
  repository,
  gitDir,
  env,
}: Place): Promise<SandboxPlace | undefined> {
  if (!settings.claude.sandbox) return undefined;
  const { git, commonDir } = repository;
  // What is not there cannot be guarded, and one bad line in this would stop every git.
  if (!existsSync(join(commonDir, "packed-refs"))) await git.attempt(["pack-refs"]);
  return {
    gitDir,
    guarded: guardedIn(commonDir),
    write: settings.claude.sandboxWrite,
    // What is not there would be on the disk, empty, for as long as a command runs.
    hidden: [realStateFolder(env)].filter((folder) => existsSync(folder)),
  };
}
