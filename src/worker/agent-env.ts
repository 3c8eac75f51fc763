import { agentEnvironment } from "../claude/environment.ts";
import { environmentOfStory, RUN_MARK } from "../story/names.ts";
import type { Work } from "./work.ts";

interface AgentPlace {
  readonly taskListId: string;
  /** Where the agent works. */
  readonly folder: string;
  /** SAGA_PORT and the like. */
  readonly ports: Readonly<Record<string, string>>;
}

/** A check is the project's own command: what the settings let through passes, Claude's login does not. */
export const environmentOfChecks = (
  agentEnv: Readonly<Record<string, string>>,
  pass: readonly string[],
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(agentEnv).filter(
      ([name]) => pass.includes(name) || !/^(?:ANTHROPIC|CLAUDE)/.test(name),
    ),
  );

/** What an agent of this worker finds in its environment, the mark of the run among it. */
export const environmentOfAgent = (
  { order, around, settings, record }: Work,
  { taskListId, folder, ports }: AgentPlace,
): Record<string, string> =>
  agentEnvironment(around.env, {
    taskListId,
    story: {
      ...environmentOfStory({
        storyId: order.storyId,
        taskListId,
        projectDir: folder,
        sessionDir: around.sessionDir,
      }),
      ...ports,
      [RUN_MARK]: record.run().id,
    },
    pass: settings.claude.passEnv,
  });
