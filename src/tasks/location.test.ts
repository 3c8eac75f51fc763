import { basename } from "node:path";
import { describe, expect, it } from "vitest";
import { newFolder } from "../../test/support/project.ts";
import { configSchema, settingsOf } from "../story/settings/settings.ts";
import { poolLocation, configuredList, shownLists } from "./location.ts";

const settings = (auto: Record<string, unknown>) => settingsOf(configSchema.parse({ auto }));
const context = { project: "/project", env: { HOME: "/home/me" } };

describe("the list of the pool", () => {
  it("is where Claude Code keeps its lists, and the context file in the project", () => {
    expect(poolLocation(settings({ task_list_id: "chores" }), context)).toEqual({
      listId: "chores",
      list: "/home/me/.claude/tasks/chores",
      contextFile: "/project/.claude/saga_task_context.toml",
      contextNote: undefined,
    });
  });

  it("follows Claude Code's own folder", () => {
    const env = { HOME: "/home/me", CLAUDE_CONFIG_DIR: "/elsewhere" };
    expect(poolLocation(settings({ task_list_id: "chores" }), { ...context, env }).list).toBe(
      "/elsewhere/tasks/chores",
    );
  });

  it("is in the folder of the settings, under the given name", () => {
    const configured = settings({
      task_list_id: "chores",
      tasks_root: "~/lists",
      context_config_path: "agents.toml",
    });
    expect(poolLocation(configured, { ...context, listId: "other" })).toEqual({
      listId: "other",
      list: "/home/me/lists/other",
      contextFile: "/project/agents.toml",
      contextNote: undefined,
    });
  });

  it("has a name that is not a path", () => {
    for (const root of [undefined, "/lists"]) {
      const configured = settings({ task_list_id: "chores", tasks_root: root });
      expect(() => poolLocation(configured, { ...context, listId: "../x" })).toThrow(
        "is not the name",
      );
    }
  });

  it.each([
    ["/home/me/My Notes (2)", "my-notes-2-tasks"],
    ["/home/me/notes", "notes-tasks"],
    ["/", "project-tasks"],
  ])("has the name of the project %s when none is set", (project, listId) => {
    expect(poolLocation(settings({}), { ...context, project })).toMatchObject({
      listId,
      list: `/home/me/.claude/tasks/${listId}`,
    });
  });
});

describe("the context file", () => {
  const inProject = (...files: string[]) => {
    const project = newFolder();
    for (const file of files) project.write(`.claude/${file}`, "");
    const { contextFile, contextNote } = poolLocation(settings({}), {
      ...context,
      project: project.path,
    });
    return { file: basename(contextFile), contextNote };
  };

  it("is the other one where only that exists, with a remark", () => {
    expect(inProject("llmc_task_context.toml")).toEqual({
      file: "llmc_task_context.toml",
      contextNote:
        "Reading .claude/llmc_task_context.toml, because there is no .claude/saga_task_context.toml.",
    });
  });

  it.each([[[]], [["saga_task_context.toml", "llmc_task_context.toml"]]])(
    "is Saga's own with %j",
    (files) => {
      expect(inProject(...files)).toEqual({ file: "saga_task_context.toml" });
    },
  );

  it("is the one in the settings, and no other", () => {
    const project = newFolder();
    project.write(".claude/llmc_task_context.toml", "");
    const configured = settings({ context_config_path: "agents.toml" });
    const place = poolLocation(configured, { ...context, project: project.path });
    expect(basename(place.contextFile)).toBe("agents.toml");
  });
});

describe("the list in the settings, for readers", () => {
  it.each<
    [what: string, settings: Parameters<typeof configuredList>[0], folder: string | undefined]
  >([
    ["none without settings", undefined, undefined],
    ["the project's own without a setting", { auto: {} }, "/home/me/.claude/tasks/project-tasks"],
    ["none for a name that leads elsewhere", { auto: { taskListId: "../x" } }, undefined],
    ["Claude's own", { auto: { taskListId: "chores" } }, "/home/me/.claude/tasks/chores"],
    [
      "the one that is set",
      { auto: { taskListId: "chores", tasksRoot: "~/t" } },
      "/home/me/t/chores",
    ],
  ])("is %s", (_, settings, folder) => {
    expect(configuredList(settings, context)?.list).toBe(folder);
  });
});

it("people see the project's own list and those of running pools, each once", () => {
  const own = { listId: "chores", list: "/lists/chores", isDefault: true } as const;
  const pool = (list: string) => ({ daemon: { list, folder: `/old/${list}` } });
  expect(shownLists(own, [pool("chores"), pool("night"), pool("../odd")])).toEqual([
    own,
    { listId: "night", list: "/old/night" },
  ]);
  expect(shownLists(undefined, [])).toEqual([]);
});
