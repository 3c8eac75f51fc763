// What Claude Code itself keeps an agent from, beside Saga's own hook. The hook of these tests allows everything.

import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { query } from "@anthropic-ai/claude-agent-sdk";
import { describe, expect, it, onTestFinished } from "vitest";
import type { AgentEnd, AgentHooks, AgentRequest } from "../../src/agent/agent.ts";
import { claudeAgent, optionsOf } from "../../src/claude/agent.ts";
import { findClaude } from "../../src/claude/find.ts";
import { sandboxProblem } from "../../src/claude/sandbox/settings.ts";
import { conversation, say, type AgentStep } from "../../src/rehearsal/scripted-agent.ts";
import { newFolder } from "../support/project.ts";
import { newGround } from "../support/stage.ts";

interface World {
  readonly project: string;
  readonly worktree: string;
  readonly home: string;
  /** The answers of the tools. */
  readonly answers: () => readonly string[];
  readonly request: (change?: Partial<AgentRequest>) => AgentRequest;
  readonly run: (change?: Partial<AgentRequest>) => Promise<AgentEnd>;
  readonly claude: string;
}

const ALLOW: AgentHooks = {
  beforeTool: () => ({ isAllowed: true }),
  beforeCompletion: () => ({ isAllowed: true }),
  afterTaskChange: () => undefined,
};

/** A project with a worktree; the model makes these calls. */
async function newWorld(steps: (world: World) => readonly AgentStep[] = () => []): Promise<World> {
  let answers: readonly string[] = [];
  const ground = await newGround(newFolder("project"), (turn) => {
    const { calls } = conversation(turn);
    answers = calls.map(({ answer }) => answer);
    return say(steps(world)[calls.length] ?? "Done.");
  });
  ground.write("README.md", "# A project\n");
  ground.git("add", "--all");
  ground.git("commit", "--quiet", "--message=First");
  ground.git("worktree", "add", "--quiet", "-b", "branch", "tree");
  const { path: project, home, env } = ground;
  const worktree = join(project, "tree");
  const claude = findClaude(undefined, env, project)?.path ?? "";
  const mark = ["SAGA_RUN_ID", "confined"] as const;
  const request: World["request"] = (change = {}) => ({
    cwd: worktree,
    worktreeOf: project,
    env,
    passEnv: [],
    variables: { [mark[0]]: mark[1] },
    mark,
    taskListId: "saga__confined__1",
    prompt: "Go.",
    model: undefined,
    resume: undefined,
    tools: ["Bash", "Write", "Edit", "Read"],
    sagaTools: [],
    requiredTools: [],
    sandbox: undefined,
    hooks: ALLOW,
    meter: { named: () => undefined, used: () => undefined, billed: () => undefined },
    onStart: () => undefined,
    onEvent: () => undefined,
    onAnswer: () => undefined,
    stop: new AbortController().signal,
    ...change,
  });
  const world: World = {
    project,
    worktree,
    home,
    claude,
    request,
    answers: () => answers,
    run: (change) => claudeAgent(claude).run(request(change)),
  };
  return world;
}

const write = (path: string): AgentStep => ({
  tool: "Write",
  input: { file_path: path, content: "{}\n" },
});

describe("a branch", () => {
  /** Hooks that leave a file when a session starts, outside of any sandbox. */
  const bringHooks = ({ home }: World, folder: string, name: string): void => {
    const command = `touch ${join(home, `${name}-ran`)}`;
    mkdirSync(join(folder, ".claude"));
    const settings = { hooks: { SessionStart: [{ hooks: [{ type: "command", command }] }] } };
    writeFileSync(join(folder, ".claude/settings.json"), JSON.stringify(settings));
  };
  const ran = ({ home }: World): string[] =>
    readdirSync(home).filter((name) => name.endsWith("-ran"));

  it("cannot bring hooks: they come from the person's checkout", async () => {
    const world = await newWorld();
    bringHooks(world, world.worktree, "branch");
    bringHooks(world, world.project, "checkout");
    expect((await world.run()).outcome).toEqual({ kind: "ended" });
    expect(ran(world)).toEqual(["checkout-ran"]);
  });

  it("could, without the option that names the worktree", async () => {
    const world = await newWorld();
    bringHooks(world, world.worktree, "branch");
    await world.run({ worktreeOf: undefined });
    expect(ran(world)).toEqual(["branch-ran"]);
  });
});

describe("a file tool", () => {
  it("writes in the worktree only, and no settings of Claude Code", async () => {
    const world = await newWorld(({ project, worktree }) => [
      write(join(worktree, "package.json")),
      write(join(worktree, "src/deep/index.ts")),
      write(join(project, "stolen.txt")),
      write(join(worktree, ".claude/settings.local.json")),
    ]);
    await world.run();
    const [inside, deep, outside, settings] = world.answers();
    expect([inside, deep]).toEqual([
      expect.stringContaining("created successfully"),
      expect.stringContaining("created successfully"),
    ]);
    expect(outside).toContain("blockWritesOutsideWorkingDirectories");
    expect(settings).toContain("Writes to Claude Code settings files are blocked");
    expect(existsSync(join(world.project, "stolen.txt"))).toBe(false);
  });

  it("does not follow a link that appeared after its call was judged", async () => {
    const world = await newWorld(({ worktree }) => [write(join(worktree, "folder/file.txt"))]);
    mkdirSync(join(world.worktree, "folder"));
    const beforeTool: AgentHooks["beforeTool"] = () => {
      rmSync(join(world.worktree, "folder"), { recursive: true });
      symlinkSync(world.project, join(world.worktree, "folder"));
      return { isAllowed: true };
    };
    await world.run({ hooks: { ...ALLOW, beforeTool } });
    expect(world.answers()[0]).toContain("blockWritesOutsideWorkingDirectories");
    expect(existsSync(join(world.project, "file.txt"))).toBe(false);
  });
});

describe("a call whose hook fails", () => {
  /** The answer of the hook is one that the SDK rejects. */
  const attempt = async (onFailure: "block" | undefined): Promise<boolean> => {
    const world = await newWorld(({ worktree }) => [write(join(worktree, "file.txt"))]);
    const path = world.claude;
    const { hooks: _, ...options } = optionsOf({ path, isConfined: true }, world.request());
    const hook = async () => ({ hookSpecificOutput: "nonsense" }) as never;
    const matcher = { hooks: [hook], ...(onFailure && { onFailure }) };
    const run = query({
      prompt: "Go.",
      options: { ...options, hooks: { PreToolUse: [matcher] }, stderr: () => undefined },
    });
    for await (const message of run) void message;
    return existsSync(join(world.worktree, "file.txt"));
  };

  it("is refused with `onFailure`, and would run without it", async () => {
    expect([await attempt("block"), await attempt(undefined)]).toEqual([false, true]);
  });
});

const problem = await sandboxProblem(process.env);
if (problem) process.stderr.write(`THE NETWORK IS NOT TRIED: ${problem.found}. ${problem.fix}\n`);

describe.skipIf(problem)("the network of sandboxed commands", () => {
  async function newServer(): Promise<{ readonly port: number; readonly requests: () => number }> {
    let requests = 0;
    const server: Server = createServer((_, response) => {
      requests++;
      response.end("REACHED");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    return { port: (server.address() as AddressInfo).port, requests: () => requests };
  }

  it.each([
    ["reaches every host by default", ["*"], 1],
    ["reaches a host that is listed", ["127.0.0.1"], 1],
    ["reaches no host that is not listed", ["example.com"], 0],
    ["reaches no host at all when none is listed", [], 0],
  ] as const)("%s", async (_, network, times) => {
    const { port, requests } = await newServer();
    // The proxy of the sandbox leaves out this machine, unless a program asks it.
    const command = `curl -sS -m 10 --noproxy '' http://127.0.0.1:${port}/`;
    const world = await newWorld(() => [{ tool: "Bash", input: { command } }]);
    const gitDir = join(world.project, ".git/worktrees/tree");
    await world.run({ sandbox: { gitDir, guarded: [], write: [], hidden: [], network } });
    expect(requests()).toBe(times);
    expect(world.answers()[0]).toContain(times > 0 ? "REACHED" : "blocked by network allowlist");
  });
});
