import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { hookScript } from "../support/plugin-session.ts";
import { newScopeWorld } from "../support/scope-world.ts";
import {
  type Case,
  OK,
  MAIN,
  OUTSIDE,
  OWN_ONLY,
  call,
  read,
  write,
  edit,
  cell,
} from "../support/scope-cases.ts";

/** What this version of Claude Code has not, has not by default, or stops by itself before asking. */
const UNHEARD_OF: Case[] = [
  [OK, write("to-be")],
  [OK, edit("in-file", "export")],
  ["links lead in a circle", write("loop/new.txt")],
  [MAIN, cell("$P/shared.ipynb")],
  [MAIN, cell("$O/trial.ipynb")],
  [OK, call("LS", { path: "$W/src" })],
  [MAIN, call("LS", { path: "$P" })],
  [OK, call("LSP", { operation: "hover", filePath: "src/main.ts", line: 1 })],
  [MAIN, call("LSP", { operation: "hover", filePath: "$O/src/main.ts", line: 1 })],
  [OK, call("MultiEdit", { file_path: "$W/a", edits: [{ old_string: "$P/a" }] })],
  [MAIN, call("MultiEdit", { file_path: "../other/a", edits: [] })],
  [OK, call("NotebookRead", { notebook_path: "$H/outside/trial.ipynb" })],
  [MAIN, call("NotebookRead", { notebook_path: "$P/shared.ipynb" })],
  [OK, call("Paint", { target_path: "src/x.png", text: "$P" })],
  [OUTSIDE, call("Paint", { target_path: "$H/x.png" })],
  [MAIN, call("Paint", { canvas: [{ target_path: "main/x.png" }] })],
  [OK, call("mcp__files__write_file", { path: "$W/a", content: "x" })],
  [OK, call("mcp__files__write_file", { path: "$H/a", content: "x" })],
  [MAIN, call("mcp__files__write_file", { path: "$P/a", content: "x" })],
  [OWN_ONLY, call("mcp__files__write_file", { uri: "file://$W/.saga/config.toml" })],
  [OK, call("mcp__files__move", { from: "$W/a", to: "$W/b" })],
  [MAIN, call("mcp__files__move", { from: "$W/a", to: "$P/b" })],
  [OK, call("Agent", { prompt: "$P", description: "A trial" })],
  ["without isolation", call("Agent", { prompt: "x", isolation: "worktree" })],
  [MAIN, call("Agent", { prompt: "x", cwd: "$P" })],
  [MAIN, call("Monitor", { command: "echo x > $P/a" })],
  [MAIN, call("EnterWorktree", { path: "$O" })],
  ["one worktree for each story", call("EnterWorktree", { name: "new" })],
  [OK, call("EnterWorktree", { path: "$W" })],
  [OK, call("TaskUpdate", { taskId: "../../../a" })],
];

it("judges unknown tools by what looks like a path in their input", async () => {
  const { stage, worktree, spelled } = await newScopeWorld();
  const judged = await Promise.all(
    UNHEARD_OF.map(async ([says, step]) => {
      const { tool, input } = spelled(step);
      const ended = await hookScript(tool === "Monitor" ? "shell" : "scope", {
        cwd: worktree,
        env: { ...stage.env, CLAUDE_PROJECT_DIR: worktree },
        input: JSON.stringify({ tool_name: tool, tool_input: input, cwd: worktree }),
      });
      const isRight =
        says === undefined
          ? ended.stdout === ""
          : ended.stdout.includes("may not") && ended.stdout.includes(spelled(says));
      return isRight && ended.exitCode === 0 ? [] : [{ step, says, ended }];
    }),
  );
  expect(judged.flat()).toEqual([]);
});

it("allows reading files that the worker linked into the worktree, but not changing them", async () => {
  const { stage, worktree } = await newScopeWorld();
  const secret = stage.write(".env", "SECRET=1\n");
  stage.link(".saga/worktrees/login/.env", secret);
  writeFileSync(join(stage.path, ".git/worktrees/login/saga-links"), ".env\n");
  const turns = [[read(".env")], [edit(".env", "SECRET")]];
  const { answers } = await stage.session({ cwd: worktree, turns });
  expect(answers[0]?.text).toContain("SECRET=1");
  expect(answers[1]?.text).toContain("shared with the project's main checkout and read-only");
  expect(readFileSync(secret, "utf8")).toBe("SECRET=1\n");
});
