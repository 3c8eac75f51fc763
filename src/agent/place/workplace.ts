// A worktree as an agent's place of work: the files and the set-up that it needs, and what it may not commit.

import { join } from "node:path";
import type { Context } from "../../context.ts";
import type { Git } from "../../machine/programs/git.ts";
import { portVariables } from "../../repo/worktree/ports.ts";
import { providedPaths, provision, provisionSettings } from "../../repo/worktree/provision.ts";
import type { RunRecord } from "../../story/state/run-record.ts";
import { RUN_MARK } from "../../story/definition/names.ts";
import type { Agent } from "../agent.ts";

export interface Workplace {
  readonly worktree: string;
  /** Runs in the worktree. */
  readonly git: Git;
  /** The worktree's own git directory. */
  readonly gitDir: string;
  /** Files copied or linked into the worktree: never committed. */
  readonly exclude: readonly string[];
  /** Folders outside the worktree that are linked into it: the agent may read them. */
  readonly readable: readonly string[];
  /** Environment variables with the ports of the work, such as SAGA_PORT. */
  readonly ports: Readonly<Record<string, string>>;
}

interface WorkplaceRequest extends Pick<Context, "repository" | "settings" | "env" | "stop"> {
  readonly agent: Agent;
  readonly record: RunRecord;
  readonly storyId: string;
  readonly tree: { readonly folder: string; readonly gitDir: string };
  /** Called before anything is copied into the worktree. */
  readonly beforeCopy?: (exclude: readonly string[]) => Promise<void>;
}

export async function prepareWorkplace(request: WorkplaceRequest): Promise<Workplace> {
  const { agent, repository, settings, env, stop, record, storyId, tree } = request;
  const { project, commonDir } = repository;
  const git = repository.git.at(tree.folder);
  const exclude = providedPaths(settings.worktree);
  // Even if the sandbox is off now: an earlier run may have used it.
  agent.removeOwnFiles(tree.folder, commonDir);
  await request.beforeCopy?.(exclude);
  // A worker that is being stopped only tidies up.
  if (!stop.aborted) {
    const warnings = await provision({
      project,
      worktree: tree.folder,
      gitDir: tree.gitDir,
      ...provisionSettings(settings.worktree),
      env,
      // If this worker is killed, the next one finds the set-up command's processes by this mark.
      variables: { [RUN_MARK]: record.run().id },
      stop,
    });
    warnings.forEach(record.warn);
  }
  return {
    worktree: tree.folder,
    git,
    gitDir: tree.gitDir,
    exclude,
    readable: settings.worktree.link.map((path) => join(project, path)),
    ports: await portVariables({ commonDir, storyId }, settings.worktree),
  };
}
