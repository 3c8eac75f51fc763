import { describe, expect, it } from "vitest";
import { configSchema, settingsOf } from "../story/settings.ts";
import { poolPlace, settledList } from "./pool-place.ts";

const settings = (auto: Record<string, unknown>) => settingsOf(configSchema.parse({ auto }));
const around = { project: "/project", env: { HOME: "/home/me" } };

describe("the list of the pool", () => {
  it("is where Claude Code keeps its lists, and the context file in the project", () => {
    expect(poolPlace(settings({ task_list_id: "chores" }), around)).toEqual({
      listId: "chores",
      list: "/home/me/.claude/tasks/chores",
      contextFile: "/project/.claude/saga_task_context.toml",
    });
  });

  it("follows Claude Code's own folder", () => {
    const env = { HOME: "/home/me", CLAUDE_CONFIG_DIR: "/elsewhere" };
    expect(poolPlace(settings({ task_list_id: "chores" }), { ...around, env }).list).toBe(
      "/elsewhere/tasks/chores",
    );
  });

  it("is where the settings say, and the one that is named", () => {
    const said = settings({
      task_list_id: "chores",
      tasks_root: "~/lists",
      context_config_path: "agents.toml",
    });
    expect(poolPlace(said, { ...around, listId: "other" })).toEqual({
      listId: "other",
      list: "/home/me/lists/other",
      contextFile: "/project/agents.toml",
    });
  });

  it("has a name that leads nowhere else", () => {
    for (const root of [undefined, "/lists"]) {
      const said = settings({ task_list_id: "chores", tasks_root: root });
      expect(() => poolPlace(said, { ...around, listId: "../x" })).toThrow("is not the name");
    }
  });

  it("must be named", () => {
    expect(() => poolPlace(settings({}), around)).toThrow("no task list for the pool");
  });
});

describe("the list that the settings name, for whoever looks on", () => {
  it.each<[what: string, settings: Parameters<typeof settledList>[0], folder: string | undefined]>([
    ["none without settings", undefined, undefined],
    ["none without a list", { auto: {} }, undefined],
    ["none for a name that leads elsewhere", { auto: { taskListId: "../x" } }, undefined],
    ["Claude's own", { auto: { taskListId: "chores" } }, "/home/me/.claude/tasks/chores"],
    [
      "the one that is set",
      { auto: { taskListId: "chores", tasksRoot: "~/t" } },
      "/home/me/t/chores",
    ],
  ])("is %s", (_, settings, folder) => {
    expect(settledList(settings, { HOME: "/home/me" })?.list).toBe(folder);
  });
});
