import { chmodSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { newFolder } from "../../test/support/project.ts";
import type { AgentRequest } from "../agent/agent.ts";
import { claudeAgent, optionsOf } from "./agent.ts";

const request: AgentRequest = {
  cwd: "/project/tree",
  worktreeOf: "/project",
  env: { PATH: process.env["PATH"], HOME: "/home" },
  passEnv: [],
  variables: {},
  mark: ["SAGA_RUN_ID", "r1"],
  taskListId: "saga__a__1",
  prompt: "Go.",
  model: undefined,
  resume: "c1",
  tools: ["Read"],
  sagaTools: [],
  requiredTools: [],
  sandbox: undefined,
  hooks: {
    beforeTool: () => ({ isAllowed: true }),
    beforeCompletion: () => ({ isAllowed: true }),
    afterTaskChange: () => undefined,
  },
  meter: { named: () => undefined, used: () => undefined, billed: () => undefined },
  onStart: () => undefined,
  onEvent: () => undefined,
  onAnswer: () => undefined,
  stop: new AbortController().signal,
};

describe("a run of Claude Code", () => {
  it("is confined to its worktree, with the configuration of the checkout", () => {
    const options = optionsOf({ path: "/claude", isConfined: true }, request);
    expect(options).toMatchObject({
      projectConfigRoot: "/project",
      settings: { permissions: { blockWritesOutsideWorkingDirectories: true } },
    });
    expect(options.hooks?.PreToolUse).toMatchObject([{ onFailure: "block" }]);
  });

  it("has none of these options with a version that does not know them", () => {
    const options = optionsOf({ path: "/claude", isConfined: false }, request);
    expect(options).not.toHaveProperty("projectConfigRoot");
    expect(options.settings).not.toHaveProperty("permissions");
    expect(options.hooks?.PreToolUse?.[0]).not.toHaveProperty("onFailure");
  });

  it("that is not a worktree keeps its own configuration, and may write where Saga allows", () => {
    const elsewhere = { ...request, worktreeOf: undefined };
    const options = optionsOf({ path: "/claude", isConfined: true }, elsewhere);
    expect(options).not.toHaveProperty("projectConfigRoot");
    expect(options.settings).not.toHaveProperty("permissions");
  });

  it("is refused if the network has to be limited and this version cannot", async () => {
    const folder = newFolder();
    const old = folder.write("claude", '#!/bin/sh\necho "2.1.233 (Claude Code)"\n');
    chmodSync(old, 0o755);
    const sandbox = { gitDir: "/g", guarded: [], write: [], hidden: [], network: ["a.org"] };
    const { outcome, conversation } = await claudeAgent(old).run({ ...request, sandbox });
    expect(outcome).toMatchObject({
      kind: "refused",
      reason: expect.stringContaining("claude.sandbox_network") as string,
    });
    expect(conversation).toBe("c1");
  });
});
