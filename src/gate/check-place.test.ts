import { expect, it } from "vitest";
import { checkPlace } from "./check-place.ts";

const settings = { claude: { passEnv: ["DATABASE_URL"] }, gate: { checkMinutes: 0.5 } };
const env = {
  PATH: "/bin",
  ANTHROPIC_API_KEY: "sk-secret",
  DATABASE_URL: "postgres://",
  HTTPS_PROXY: "http://proxy",
};
const place = (variables?: Record<string, string>) =>
  checkPlace({ cwd: "/work/tree", env, storyId: "cart", settings, variables });

it("a check gets what it needs and what the settings pass, but no login", () => {
  const passed = place().env;
  expect(passed).toMatchObject({
    PATH: "/bin",
    DATABASE_URL: "postgres://",
    HTTPS_PROXY: "http://proxy",
  });
  expect(passed).not.toHaveProperty("ANTHROPIC_API_KEY");
});

it("a check knows its story and runs in its folder, within the time of the settings", () => {
  expect(place()).toMatchObject({
    cwd: "/work/tree",
    timeoutMs: 30_000,
    env: { SAGA_STORY_ID: "cart", SAGA_PROJECT_DIR: "/work/tree" },
  });
});

it("the story's own variables win", () => {
  expect(place({ SAGA_PORT: "4000", PATH: "/own" }).env).toMatchObject({
    SAGA_PORT: "4000",
    PATH: "/own",
  });
});
