import { query, type Options, type SpawnedProcess } from "@anthropic-ai/claude-agent-sdk";
import { describe, expect, it } from "vitest";
import { sandboxSettings } from "../sandbox/settings.ts";
import { PROGRAM_VARIABLES, programArguments } from "./arguments.ts";

/** How the agent SDK starts Claude Code. */
async function startOfSdk(
  options: Options,
): Promise<{ readonly args: string[]; readonly env: object }> {
  return new Promise((resolve) => {
    query({
      prompt: "Go.",
      options: {
        ...options,
        pathToClaudeCodeExecutable: "/usr/bin/true",
        spawnClaudeCodeProcess({ args, env }): SpawnedProcess {
          resolve({ args, env });
          throw new Error("Not started.");
        },
      },
    })
      .next()
      .catch(() => undefined);
  });
}

const plain: Options = {
  permissionMode: "bypassPermissions",
  allowDangerouslySkipPermissions: true,
  tools: ["Bash", "TaskList"],
  disallowedTools: ["Agent", "Monitor"],
  settings: { env: { A: "1" }, enabledPlugins: { saga: false } },
  systemPrompt: { type: "preset", preset: "claude_code" },
};
const place = { gitDir: "/g", guarded: ["/r"], write: [], hidden: ["/s"], network: ["a.org"] };

describe("the words that start Claude Code", () => {
  it.each<[string, Options]>([
    ["a plain run", plain],
    ["a model and a conversation to resume", { ...plain, model: "opus", resume: "c1" }],
    ["a worktree", { ...plain, projectConfigRoot: "/project" }],
    ["a sandbox", { ...plain, sandbox: sandboxSettings(place) }],
  ])("are those of the agent SDK: %s", async (_, options) => {
    const { args } = await startOfSdk(options);
    expect(programArguments(options).toSorted()).toEqual(args.toSorted());
  });
});

it("its variables are those of the agent SDK", async () => {
  const { env } = await startOfSdk({ ...plain, env: {} });
  expect(env).toMatchObject(PROGRAM_VARIABLES);
});
