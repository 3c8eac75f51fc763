import { agentEnvironment } from "../../claude/environment.ts";
import { pluginFolder } from "../../claude/plugin.ts";
import { environmentOfStory, RUN_MARK } from "../../story/definition/names.ts";
import type { Work } from "../work.ts";

interface AgentPlace {
  readonly taskListId: string;
  /** Where the agent works. */
  readonly folder: string;
  /** SAGA_PORT and the like. */
  readonly ports: Readonly<Record<string, string>>;
}

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
        pluginRoot: pluginFolder(),
      }),
      ...ports,
      [RUN_MARK]: record.run().id,
    },
    pass: settings.claude.passEnv,
  });
