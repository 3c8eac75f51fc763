// Where an agent's shell commands may write, if the settings turn the sandbox on.

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
  /** The worktree's own git directory. */
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
  // Only an existing file can be guarded, and a bad line in this one would break every git command.
  if (!existsSync(join(commonDir, "packed-refs"))) await git.attempt(["pack-refs"]);
  return {
    gitDir,
    guarded: guardedIn(commonDir),
    write: settings.claude.sandboxWrite,
    // The sandbox would create an empty stub for a missing folder.
    hidden: [realStateFolder(env)].filter((folder) => existsSync(folder)),
  };
}
