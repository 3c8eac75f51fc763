import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createTaskList, taskListFolder } from "../../src/claude/tasks/list.ts";
import type { AgentStep } from "../../src/rehearsal/scripted-agent.ts";
import { newPluginStage, type PluginStage, type Session } from "../support/plugin-session.ts";
import { aTask } from "../support/project.ts";

const LIST = "saga__login__1700000000000";
const FIVE = ["one", "two", "three", "four", "five"];

const update = (taskId: string, status: string): AgentStep => ({
  tool: "TaskUpdate",
  input: { taskId, status },
});
const write = (path: string): AgentStep => ({
  tool: "Write",
  input: { file_path: path, content: "" },
});
const create: AgentStep = { tool: "TaskCreate", input: { subject: "x", description: "x" } };

/** Claude's own list with the story's tasks, as a worker leaves it. */
function hydrated(stage: PluginStage, tasks: readonly Record<string, unknown>[]) {
  const tools = { CLAUDE_CODE_TASK_LIST_ID: LIST, CLAUDE_CODE_ENABLE_TODO_TOOLS: "1" };
  const known = tasks.map(({ id, subject, description, status, blockedBy }) => {
    return { id, subject, description, status, blockedBy, blocks: [] };
  });
  type ListTasks = Parameters<typeof createTaskList>[1];
  createTaskList(taskListFolder(stage.env, LIST), known as unknown as ListTasks);
  return tools;
}

async function newStory(tasks: readonly Record<string, unknown>[]) {
  const stage = await newPluginStage();
  const cwd = stage.addWorktree("login", { id: "login", tasks });
  const env = hydrated(stage, tasks);
  const folder = ".saga/worktrees/login/.saga/stories/login";
  const task = (id: string): Record<string, unknown> => stage.json(`${folder}/${id}.json`);
  return { stage, cwd, env, folder, task };
}

const textsOf = ({ answers }: Session): string[] => answers.map(({ text }) => text);
const problemsOf = ({ hooks }: Session) =>
  hooks.filter(({ exitCode, stderr }) => exitCode !== 0 || stderr !== "");

describe("a story's task in a session", () => {
  it("is recorded in the story's files, in order, with its checks", async () => {
    const check = "test -f ok.txt || { echo There is no ok.txt in $PWD; exit 3; }";
    const { stage, cwd, env, folder, task } = await newStory([
      aTask("form", { checks: [check], labels: ["ours"], estimatedLines: 12 }),
      aTask("page", { blockedBy: ["form"] }),
    ]);
    const session = await stage.session({
      cwd,
      env,
      turns: [
        [update("page", "completed")],
        [update("form", "in_progress")],
        [update("form", "deleted")],
        [update("form", "completed")],
        [write("ok.txt")],
        [update("form", "completed")],
        [update("form", "pending")],
        [update("page", "in_progress")],
      ],
    });
    const [order, begun, deleted, failed, , passed, back, page] = textsOf(session);
    expect(order).toContain("form must be completed first.");
    expect(begun).toBe("Updated task #form status");
    expect(deleted).toContain("The task form belongs to the story and cannot be deleted.");
    expect(failed).toContain(`The check \`${check}\` failed`);
    expect(failed).toContain(`There is no ok.txt in ${cwd}`);
    expect(passed).toBe("Updated task #form status");
    expect(back).toContain("The task form is completed");
    expect(page).toBe("Updated task #page status");
    expect(task("form")).toEqual(
      aTask("form", {
        checks: [check],
        labels: ["ours"],
        estimatedLines: 12,
        status: "completed",
      }),
    );
    expect(task("page")["status"]).toBe("in_progress");
    expect(existsSync(join(stage.path, folder, "story.json"))).toBe(true);
    expect(problemsOf(session)).toEqual([]);
  });

  it("is recorded for five tasks in one turn, twice, and for none of Claude's own", async () => {
    const { stage, cwd, env, folder, task } = await newStory(FIVE.map((id) => aTask(id)));
    const session = await stage.session({
      cwd,
      env,
      turns: [
        FIVE.map((id) => update(id, "in_progress")),
        FIVE.map((id) => update(id, "completed")),
        [create],
        [update("1", "in_progress"), update("unknown", "completed")],
      ],
    });
    expect(FIVE.map((id) => task(id)["status"])).toEqual(FIVE.map(() => "completed"));
    expect(textsOf(session).at(-2)).toBe("Updated task #1 status");
    expect(existsSync(join(stage.path, folder, "1.json"))).toBe(false);
    expect(problemsOf(session)).toEqual([]);
  });

  it("is recorded when the session is in the main checkout, too", async () => {
    const checks = ["test -f only-in-the-worktree.txt"];
    const { stage, env, task } = await newStory([aTask("form", { checks })]);
    stage.write(".saga/worktrees/login/only-in-the-worktree.txt", "");
    const session = await stage.session({ env, turns: [[update("form", "completed")]] });
    expect(textsOf(session)).toEqual(["Updated task #form status"]);
    expect(task("form")["status"]).toBe("completed");
    expect(existsSync(join(stage.path, ".saga/stories/login"))).toBe(false);
  });

  it("is left to the worker while one is running", async () => {
    const { stage, cwd, env, task } = await newStory([aTask("form")]);
    await stage.lease("login", "alive");
    const turns = [[update("form", "in_progress")], [update("form", "completed")]];
    const session = await stage.session({ cwd, env, turns });
    for (const text of textsOf(session)) {
      expect(text).toContain("A worker is running on the story login");
      expect(text).toContain("`saga stop login`");
    }
    expect(task("form")["status"]).toBe("pending");
  });

  it("is ignored in a project without Saga", async () => {
    const { stage, env, task } = await newStory([aTask("form")]);
    const cwd = join(stage.home, "foreign");
    mkdirSync(cwd);
    const session = await stage.session({ cwd, env, turns: [[update("form", "completed")]] });
    expect(textsOf(session)).toEqual(["Updated task #form status"]);
    expect(session.hooks.map(({ stdout, stderr }) => stdout + stderr).join("")).toBe("");
    expect(task("form")["status"]).toBe("pending");
  });
});
