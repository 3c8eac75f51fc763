import { afterEach, describe, expect, it, vi } from "vitest";
import {
  getEpicSlug,
  getPluginRoot,
  getProjectDir,
  getStoryDir,
  getStoryId,
  getStorySlug,
  getStoryTaskListId,
} from "./env.ts";

afterEach(() => vi.unstubAllEnvs());

describe.each([
  ["SAGA_STORY_ID", getStoryId],
  ["SAGA_STORY_TASK_LIST_ID", getStoryTaskListId],
  ["SAGA_PROJECT_DIR", getProjectDir],
  ["SAGA_PLUGIN_ROOT", getPluginRoot],
])("%s", (variable, get) => {
  it("answers with what is set", () => {
    vi.stubEnv(variable, "value");
    expect(get()).toBe("value");
    expect(get({ [variable]: "other" })).toBe("other");
  });

  it.each([undefined, ""])("throws when it is %j", (value) => {
    vi.stubEnv(variable, value);
    expect(() => get()).toThrow(`${variable} is not set.`);
  });
});

it.each([
  ["SAGA_EPIC_SLUG", getEpicSlug],
  ["SAGA_STORY_SLUG", getStorySlug],
  ["SAGA_STORY_DIR", getStoryDir],
])("%s is still read", (variable, get) => {
  expect(get({ [variable]: "value" })).toBe("value");
  expect(get({})).toBeUndefined();
});
