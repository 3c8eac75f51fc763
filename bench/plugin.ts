// What a hook script of the plugin costs compared to a bare start of Node: CPU time, because a session waits for it before
// each tool call and a machine has many sessions.

import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ratioFigure, type Figure } from "./table.ts";

const TURNS = 30;
const MOST = 1.15;

export async function pluginFigures(root: string, folder: string): Promise<Figure[]> {
  const worktree = newWorktree(join(folder, "plugin"));
  const update = { tool_name: "TaskUpdate", tool_input: { taskId: "form", status: "pending" } };
  const calls: readonly (readonly [script: string, input: Record<string, unknown>])[] = [
    ["session-start", { hook_event_name: "SessionStart", source: "startup" }],
    ["scope", { tool_name: "Write", tool_input: { file_path: join(worktree, "src/new.ts") } }],
    ["shell", { tool_name: "Bash", tool_input: { command: "npm test 2>&1 | tail -20 > out.txt" } }],
    ["task-gate", { hook_event_name: "PreToolUse", ...update }],
    ["task-sync", { ...update, tool_response: { success: true, taskId: "1", statusChange: {} } }],
  ];
  return calls.map(([script, input]) => {
    const file = join(folder, "input.json");
    writeFileSync(file, JSON.stringify({ cwd: worktree, ...input }));
    const path = join(root, "plugin/scripts", `${script}.cjs`);
    let [floorMs, oursMs] = [0, 0];
    for (let turn = 0; turn < TURNS; turn++) {
      floorMs += cpuMs(worktree, file, ["-e", "0"]);
      oursMs += cpuMs(worktree, file, [path]);
    }
    const of = typeof input["tool_name"] === "string" ? ` of ${input["tool_name"]}` : "";
    const name = `CPU of the hook ${script}${of}, against node -e 0`;
    return ratioFigure(name, floorMs / TURNS, oursMs / TURNS, MOST);
  });
}

/** The shell measures its child processes; Node cannot. */
function cpuMs(cwd: string, input: string, args: readonly string[]): number {
  const script = 'TIMEFORMAT="%U %S"; time "$@" < "$INPUT" > /dev/null';
  const output = execFileSync(
    "bash",
    ["--norc", "-c", `{ ${script}; } 2>&1`, "bash", process.execPath, ...args],
    {
      cwd,
      env: { PATH: process.env["PATH"], CLAUDE_PROJECT_DIR: cwd, INPUT: input },
      encoding: "utf8",
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  return output
    .trim()
    .split(" ")
    .reduce((sum, seconds) => sum + Number(seconds) * 1000, 0);
}

/** A project with one story, in its worktree. */
function newWorktree(project: string): string {
  const worktree = join(project, ".saga/worktrees/add-login");
  const story = { id: "add-login", title: "Add a login page", description: "d", status: "pending" };
  const task = { id: "form", subject: "Build it", description: "d", status: "pending" };
  for (const [file, text] of [
    [".git", "gitdir: nowhere\n"],
    ["src/a.ts", ""],
    [".saga/stories/add-login/story.json", JSON.stringify(story)],
    [".saga/stories/add-login/form.json", JSON.stringify(task)],
  ] as const) {
    mkdirSync(dirname(join(worktree, file)), { recursive: true });
    writeFileSync(join(worktree, file), text);
  }
  return worktree;
}
