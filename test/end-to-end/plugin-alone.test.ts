import { execFileSync } from "node:child_process";
import { cpSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Script } from "../../src/rehearsal/model-server.ts";
import { conversation, say } from "../../src/rehearsal/scripted-agent.ts";
import { findClaude } from "../../src/claude/find.ts";
import { root } from "../support/programs.ts";
import { newFolder } from "../support/project.ts";
import { expectNothingLeft, follows, newStage, STORY } from "../support/stage.ts";
import { run } from "../support/plugin-session.ts";

/** What a person has who installed the plugin, and nothing else. */
function newMarketplace(): string {
  const { path } = newFolder("marketplace");
  for (const name of [".claude-plugin", "plugin", "dist", "package.json"]) {
    cpSync(join(root, name), join(path, name), { recursive: true });
  }
  symlinkSync(join(root, "node_modules"), join(path, "node_modules"));
  return path;
}

/** The person's session makes these calls; a worker's agent has the Task tools at hand, and works. */
const personAsks = (commands: readonly string[]): Script => {
  const worker = follows();
  return (turn) => {
    if (turn.tools.includes("TaskUpdate")) return worker(turn);
    const command = commands[conversation(turn).calls.length];
    return say(
      command === undefined
        ? "That is all."
        : { tool: "Bash", input: { command, description: "Run it" } },
    );
  };
};

it("runs a story from a session that has only the plugin", async () => {
  const commands = [
    "command -v saga",
    "saga --version",
    `node "$SAGA_PLUGIN_ROOT/scripts/worker.cjs"; echo "exit $?"`,
    `node "$SAGA_PLUGIN_ROOT/scripts/worker.cjs" ${STORY}; echo "exit $?"`,
    `saga show ${STORY} --json`,
  ];
  const stage = await newStage({ script: personAsks(commands) });
  const claude = findClaude(undefined, stage.env, stage.path)?.path ?? "claude";
  const marketplace = newMarketplace();
  const plugin = (...words: string[]): string =>
    execFileSync(claude, ["plugin", ...words], { cwd: stage.path, env: stage.env }).toString();
  plugin("marketplace", "add", marketplace);
  plugin("install", "saga@saga-run", "--scope", "project");

  const words = ["-p", "Go.", "--output-format", "stream-json", "--verbose"];
  const ended = await run(claude, [...words, "--dangerously-skip-permissions"], {
    cwd: stage.path,
    env: stage.env,
  });
  expect(ended.exitCode, ended.stderr).toBe(0);
  const answers = answersIn(ended.stdout);
  expect(answers[0]).toContain(join("plugin", "bin", "saga"));
  expect(answers[1]).toMatch(/^\d+\.\d+\.\d+/);
  expect(answers[2]).toContain("Usage: saga worker");
  expect(answers[3]).toContain("exit 0");
  expect(JSON.parse(answers[4] ?? "")).toMatchObject({ state: "review" });
  await expectNothingLeft(stage);
});

function answersIn(stdout: string): string[] {
  interface Line {
    readonly type: string;
    readonly message?: { readonly content?: unknown };
  }
  interface Block {
    readonly type: string;
    readonly content?: unknown;
  }
  return stdout
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as Line)
    .flatMap(({ type, message }) =>
      type === "user" && Array.isArray(message?.content) ? (message.content as Block[]) : [],
    )
    .filter(({ type }) => type === "tool_result")
    .map(({ content }) => (typeof content === "string" ? content : JSON.stringify(content)));
}
