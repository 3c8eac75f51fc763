import { expect, it } from "vitest";
import { defaults } from "../../../test/support/default-settings.ts";
import { agentScope, agentVariables } from "./agent-place.ts";

const FOLDER = "/p/.saga/worktrees/a";
const settings = { ...defaults, claude: { ...defaults.claude, sandbox: true } };

it("an agent may not look into Saga's own state, and the settings decide about the sandbox", () => {
  const env = { XDG_STATE_HOME: "/state" };
  const place = { project: "/p", storyId: "a", folder: FOLDER, readable: ["/p/lib"] };
  const scope = agentScope({ ...place, settings, env });
  expect(scope).toMatchObject({ worktree: FOLDER, readable: ["/p/lib"], isSandboxed: true });
  expect(scope.hidden).toEqual(["/state/saga"]);
});

it("the work and its ports are named in an agent's environment", () => {
  const variables = agentVariables({
    storyId: "a",
    taskListId: "saga__a__1",
    folder: FOLDER,
    sessionDir: "/tmp/sessions",
    ports: { SAGA_PORT: "4100" },
  });
  expect(variables).toMatchObject({
    SAGA_STORY_ID: "a",
    SAGA_STORY_TASK_LIST_ID: "saga__a__1",
    SAGA_PROJECT_DIR: FOLDER,
    SAGA_SESSION_DIR: "/tmp/sessions",
    SAGA_PORT: "4100",
  });
});
