// What an agent may touch in its place of work, and the variables that name the work for it and its commands: for stories and
// tasks of the pool alike.

import type { Context } from "../../context.ts";
import { realStateFolder } from "../../machine/files/state-folder.ts";
import { environmentOfStory } from "../../story/definition/names.ts";
import type { Scope } from "../scope/scope.ts";

interface ScopeRequest extends Pick<Context, "settings" | "env"> {
  /** With symlinks resolved. */
  readonly project: string;
  readonly storyId: string;
  /** The folder that the agent works in. */
  readonly folder: string;
  /** Folders outside it that it may read. */
  readonly readable: readonly string[];
}

export const agentScope = ({
  project,
  storyId,
  folder,
  readable,
  settings,
  env,
}: ScopeRequest): Scope => ({
  project,
  worktree: folder,
  storyId,
  readable,
  hidden: [realStateFolder(env)],
  isSandboxed: settings.claude.sandbox,
});

interface NamedWork {
  readonly storyId: string;
  readonly taskListId: string;
  /** The folder that the agent works in. */
  readonly folder: string;
  readonly sessionDir: string;
  /** Environment variables with the ports of the work, such as SAGA_PORT. */
  readonly ports: Readonly<Record<string, string>>;
}

export const agentVariables = ({
  folder: projectDir,
  ports,
  ...named
}: NamedWork): Record<string, string> => ({
  ...environmentOfStory({ ...named, projectDir }),
  ...ports,
});
