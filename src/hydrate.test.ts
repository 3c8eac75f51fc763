import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { aStory, aTask, newProject, type Project } from "../test/support/project.ts";
import { readTaskList } from "./claude/tasks/list.ts";
import { hydrate } from "./hydrate.ts";

function aProject(): Project {
  const project = newProject();
  const fields = { writeFiles: ["src/**"], checks: ["npm test"], guidance: "Small steps." };
  project.write(".saga/stories/add-login/story.json", aStory("add-login", fields));
  project.write(".saga/stories/add-login/form.json", aTask("form", { status: "completed" }));
  project.write(".saga/stories/add-login/page.json", aTask("page", { blockedBy: ["form"] }));
  return project;
}

describe("hydrating a story", () => {
  it("makes a list that Claude Code reads, and answers with what a prompt needs", async () => {
    const project = aProject();
    const env = { CLAUDE_CONFIG_DIR: join(project.path, "claude") };
    const done = hydrate("add-login", { cwd: project.path, env, now: () => 1_700_000_000_000 });
    expect(done.taskListId).toBe("saga__add-login__1700000000000");
    expect(done.folder).toBe(join(project.path, "claude/tasks", done.taskListId));
    expect(done.story).toMatchObject({ title: "Title of add-login", guidance: "Small steps." });
    const listed = await readTaskList(done.folder);
    expect(listed).toEqual(done.tasks);
    expect(listed.map(({ id, status, blocks }) => [id, status, blocks])).toEqual([
      ["form", "completed", ["page"]],
      ["page", "pending", []],
    ]);
    expect(done.prompt).toContain("You are working on: Title of add-login");
    expect(done.prompt).toContain("only change files that match `src/**`");
    expect(done.prompt).toContain("`npm test`");
  });

  it("uses the project's own prompt, from any folder below", () => {
    const project = aProject();
    project.write(".saga/worker-prompt.md", "Be kind to {{title}}.");
    project.write("below/x", "");
    const env = { HOME: project.path };
    const { prompt, folder } = hydrate("add-login", { cwd: join(project.path, "below"), env });
    expect(prompt).toMatch(/^Be kind to Title of add-login\./);
    expect(folder.startsWith(join(project.path, ".claude/tasks/saga__add-login__"))).toBe(true);
  });

  it("never writes over a list, and makes none of a story that is not there", () => {
    const project = aProject();
    const given = { cwd: project.path, env: { HOME: project.path }, taskListId: "mine" };
    hydrate("add-login", given);
    expect(() => hydrate("add-login", given)).toThrow("The task list mine already exists.");
    expect(() => hydrate("nope", { ...given, taskListId: "other" })).toThrow("nope");
    expect(existsSync(join(project.path, ".claude/tasks/other"))).toBe(false);
  });
});

describe("saga hydrate", () => {
  it("says where the list is, and gives everything as JSON", async () => {
    const project = aProject();
    const env = { HOME: project.path };
    const result = await project.sagaWithEnv(env, "hydrate", "add-login", "--list", "mine");
    expect(result.stdout).toBe(
      `Loaded 2 tasks into ${project.path}/.claude/tasks/mine\nUse it with CLAUDE_CODE_TASK_LIST_ID=mine\n`,
    );
    const json = (await project.sagaWithEnv(env, "hydrate", "add-login", "--json")).json();
    expect(json).toMatchObject({
      taskListId: expect.stringMatching(/^saga__add-login__\d{13}$/) as string,
      story: { id: "add-login" },
      tasks: [{ id: "form" }, { id: "page" }],
      prompt: expect.stringContaining("You are working on") as string,
    });
  });
});
