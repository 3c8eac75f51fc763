// A check finds the same environment wherever it is run: for a task in a worker, a task in a session, a story.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createTaskList, taskListFolder } from "../../src/claude/tasks/list.ts";
import { newPluginStage } from "../support/plugin-session.ts";
import { aTask } from "../support/project.ts";
import { newStage } from "../support/stage.ts";

/** Leaves what it finds in `SEEN`, a file for each time, in the folder that is passed to it. */
const CHECK = 'env > "$SEEN/$(ls "$SEEN" | wc -l)"';
const CONFIG = '[claude]\npass_env = ["SEEN"]\n';

const NAMES = ["SAGA_PORT", "SAGA_PORT_COUNT", "SEEN"];

/** Where it was run, and what marks its processes, differ each time. */
const DIFFERS =
  /^(?:SAGA_(?:CHECK|RUN|JUDGING)_ID|SAGA_PROJECT_DIR|PWD|OLDPWD|SHLVL|_|HOME|TMPDIR)=/;

const environments = (folder: string): string[][] =>
  readdirSync(folder).map((name) =>
    readFileSync(join(folder, name), "utf8")
      .split("\n")
      .filter((line) => line !== "" && !DIFFERS.test(line))
      .toSorted(),
  );

const namesOf = (lines: readonly string[] = []): string[] =>
  lines.map((line) => line.slice(0, line.indexOf("=")));

it("is the same for a task and for its story", async () => {
  const stage = await newStage({
    config: CONFIG,
    tasks: [aTask("form", { checks: [CHECK] })],
    story: { checks: [CHECK] },
  });
  stage.write("../seen/.keep", "");
  const file = join(stage.path, "../seen");
  const env = { ...stage.env, SEEN: file, SECRET_OF_MINE: "x", HTTPS_PROXY: "", AWS_PROFILE: "x" };
  const ended = await stage.sagaWithEnv(env, "run", "add-login", "--foreground");
  expect(ended.exitCode, ended.stdout + ended.stderr).toBe(0);
  const [task, story, ...more] = environments(file).filter((lines) => lines.length > 0);
  expect(more).toEqual([]);
  expect(task).toEqual(story);
  expect(namesOf(task)).toEqual(expect.arrayContaining(NAMES));
  // In a lane it would not be one story.
  const unwanted = /^(?:ANTHROPIC|CLAUDE|AWS|SECRET|SAGA_STORY)/;
  expect(namesOf(task).filter((name) => unwanted.test(name))).toEqual([]);
});

it("is the same in a session, with the same time", async () => {
  const LIST = "saga__login__1700000000000";
  const stage = await newPluginStage();
  stage.write(".saga/config.toml", `${CONFIG}[gate]\ncheck_minutes = 0.02\n`);
  stage.write("../seen/.keep", "");
  const file = join(stage.path, "../seen");
  const tasks = [aTask("form", { checks: [CHECK, "sleep 60"] })];
  const cwd = stage.addWorktree("login", { id: "login", tasks });
  const listed = { id: "form", subject: "Form", description: "x", blockedBy: [], blocks: [] };
  createTaskList(taskListFolder(stage.env, LIST), [{ ...listed, status: "pending" }]);
  const session = await stage.session({
    cwd,
    env: {
      CLAUDE_CODE_TASK_LIST_ID: LIST,
      CLAUDE_CODE_ENABLE_TODO_TOOLS: "1",
      SEEN: file,
      SECRET_OF_MINE: "x",
    },
    turns: [[{ tool: "TaskUpdate", input: { taskId: "form", status: "completed" } }]],
  });
  expect(session.answers[0]?.text).toContain("`sleep 60` failed (did not finish within 1.2 s)");
  const [names] = environments(file)
    .filter((lines) => lines.length > 0)
    .map(namesOf);
  expect(names).toEqual(expect.arrayContaining([...NAMES, "PATH"]));
  expect(names?.filter((name) => /^(?:ANTHROPIC|CLAUDE|SECRET)/.test(name))).toEqual([]);
  expect(existsSync(join(cwd, ".saga/stories/login/form.json"))).toBe(true);
});
