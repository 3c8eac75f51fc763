import { expect, it } from "vitest";
import { newFolder } from "../../test/support/project.ts";
import { checkPlace } from "./check-place.ts";

const settings = {
  claude: { passEnv: ["DATABASE_URL"] },
  gate: { checkMinutes: 0.5 },
  worktree: { firstPort: 4000, ports: 10 },
};
const env = {
  PATH: "/bin",
  ANTHROPIC_API_KEY: "sk-secret",
  DATABASE_URL: "postgres://",
  HTTPS_PROXY: "http://proxy",
};
const place = (variables?: Record<string, string>, commonDir?: string) =>
  checkPlace({ cwd: "/project/tree", commonDir, env, storyId: "cart", settings, variables });

it("a check gets what it needs and what the settings pass, but no login", async () => {
  const passed = (await place()).env;
  expect(passed).toMatchObject({
    PATH: "/bin",
    DATABASE_URL: "postgres://",
    HTTPS_PROXY: "http://proxy",
  });
  expect(passed).not.toHaveProperty("ANTHROPIC_API_KEY");
});

it("a check runs in its folder, within the time of the settings, and knows no story", async () => {
  const found = await place();
  expect(found).toMatchObject({
    cwd: "/project/tree",
    timeoutMs: 30_000,
    env: { SAGA_PROJECT_DIR: "/project/tree" },
  });
  // In a lane it runs for several stories at once.
  expect(Object.keys(found.env).filter((name) => name.startsWith("SAGA_STORY"))).toEqual([]);
});

it("a check gets the story's ports, and none outside of a repository", async () => {
  const { path } = newFolder();
  expect((await place({}, path)).env).toMatchObject({ SAGA_PORT: "4000", SAGA_PORT_COUNT: "10" });
  expect((await place()).env).not.toHaveProperty("SAGA_PORT");
});

it("variables for its processes win", async () => {
  expect((await place({ PATH: "/own" })).env).toMatchObject({ PATH: "/own" });
});
