import { agentEnvironment } from "../../claude/environment.ts";
import { pluginFolder } from "../../claude/plugin.ts";
import { environmentOfStory, RUN_MARK } from "../../story/definition/names.ts";
import type { Work } from "../context.ts";

interface AgentPlace {
  readonly taskListId: string;
  /** The folder that the agent works in. */
  readonly folder: string;
  /** Environment variables with the story's ports, such as SAGA_PORT. */
  readonly ports: Readonly<Record<string, string>>;
}

/** The environment of an agent of this worker, with the mark that its processes are found by. */
export const storyAgentEnvironment = (
  { request, context, settings, record }: Work,
  { taskListId, folder, ports }: AgentPlace,
): Record<string, string> =>
  agentEnvironment(context.env, {
    taskListId,
    story: {
      ...environmentOfStory({
        storyId: request.storyId,
        taskListId,
        projectDir: folder,
        sessionDir: context.sessionDir,
        pluginRoot: pluginFolder(),
      }),
      ...ports,
      [RUN_MARK]: record.run().id,
    },
    pass: settings.claude.passEnv,
  });
