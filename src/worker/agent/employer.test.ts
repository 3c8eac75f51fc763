import { expect, it } from "vitest";
import type { Work } from "../context.ts";
import { storyVariables } from "./employer.ts";

it("the environment of an agent names its story, list and folder, and has its ports", () => {
  const work = { request: { storyId: "a" }, context: { sessionDir: "/s" } } as unknown as Work;
  const place = { taskListId: "saga__a__1", folder: "/w", ports: { SAGA_PORT: "3000" } };
  expect(storyVariables(work, place)).toMatchObject({
    SAGA_STORY_ID: "a",
    SAGA_STORY_PATH: "a",
    SAGA_STORY_TASK_LIST_ID: "saga__a__1",
    SAGA_PROJECT_DIR: "/w",
    SAGA_SESSION_DIR: "/s",
    SAGA_PORT: "3000",
  });
});
