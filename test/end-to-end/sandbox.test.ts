// Claude Code's own sandbox, with the real Claude Code: what a command of the agent's can write is tried
// by a program that the agent wrote, which no look at the command line can judge.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { sandboxProblem } from "../../src/claude/sandbox/settings.ts";
import type { Reply, Script } from "../../src/rehearsal/model-server.ts";
import { conversation, say } from "../../src/rehearsal/scripted-agent.ts";
import type { RehearsalStep } from "../../src/rehearsal/steps.ts";
import { readTextIfThere } from "../../src/machine/files/files.ts";
import { expectExit } from "../support/expect-exit.ts";
import { aTask, newFolder } from "../support/project.ts";
import { expectNothingLeft, follows, newStage, STORY, type Stage } from "../support/stage.ts";

const problem = await sandboxProblem(process.env);
if (problem) process.stderr.write(`THE SANDBOX IS NOT TRIED: ${problem.found}. ${problem.fix}\n`);

// On a disk: the sandbox has a /dev of its own, so projects in /dev/shm are not there.
beforeEach(() => void vi.stubEnv("TMPDIR", "/tmp"));
afterEach(() => void vi.unstubAllEnvs());

const ON = "[claude]\nsandbox = true\n";

/**
 * Tries to write in each of these places, and to read the key of receipts, and notes in the worktree which
 * it could.
 */
const REACH = `
import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
const name = ["-c", "user.name=Agent", "-c", "user.email=agent@example.com"];
const git = (...args) => () => execFileSync("git", [...name, ...args], { stdio: "pipe" });
const append = (...path) => () => appendFileSync(join(...path), "# reached\\n");
const project = join(process.cwd(), "../../..");
const attempts = {
  worktree: append("inside.txt"),
  temporary: () => rmSync(mkdtempSync(join(tmpdir(), "saga-reach-")), { recursive: true }),
  cache: () => mkdirSync(join(process.env.npm_config_cache ?? homedir(), "reach"), { recursive: true }),
  staging: git("add", "--", "inside.txt"),
  granted: append(homedir(), "granted/reached"),
  home: append(homedir(), "reached"),
  project: append(project, "README.md"),
  stories: append(project, ".saga/config.toml"),
  branch: git("update-ref", "refs/heads/main", "HEAD"),
  newBranch: git("branch", "reached"),
  packedRefs: append(project, ".git/packed-refs"),
  mainHead: append(project, ".git/HEAD"),
  mainIndex: append(project, ".git/index"),
  hook: () => writeFileSync(join(project, ".git/hooks/post-commit"), "#!/bin/sh\\n", { mode: 0o755 }),
  config: git("config", "core.pager", "reached"),
  receiptKey: () => readFileSync(join(homedir(), "state/saga/receipt-key")),
};
const reached = Object.entries(attempts).flatMap(([name, attempt]) => {
  try {
    attempt();
    return [name];
  } catch {
    return [];
  }
});
// The first time counts: afterwards there may be little left of the repository.
writeFileSync(process.argv[2], JSON.stringify(reached), { flag: "wx" });
`;

const tries = (file: string, more: object = {}): RehearsalStep[] => [
  { write: "reach.mjs", content: REACH },
  { tool: "Bash", input: { command: `node reach.mjs ${file}`, description: "Try", ...more } },
];

const reachedIn = (stage: Stage, file: string): string[] =>
  JSON.parse(stage.read(`.saga/worktrees/${STORY}/${file}`)) as string[];

const INSIDE = ["worktree", "temporary", "cache", "staging"];
const SHARED = ["branch", "newBranch", "packedRefs", "mainHead", "mainIndex", "hook", "config"];

describe.runIf(problem === undefined)("with the sandbox, a command of the agent's", () => {
  it("writes in the worktree, stages and has a cache, but reaches nothing else, even if it asks to", async () => {
    const stage = await newStage({
      config: ON,
      steps: {
        form: tries("one.json"),
        page: tries("two.json", { dangerouslyDisableSandbox: true }),
      },
    });
    const before = stage.read("README.md");
    await expectExit(0, stage.work());
    expect(reachedIn(stage, "one.json")).toEqual(INSIDE);
    expect(reachedIn(stage, "two.json")).toEqual(INSIDE);
    expect(stage.read("README.md")).toBe(before);
    expect(stage.commits()).toEqual(["form", "page"]);
    expect(filesOf(stage, `story/${STORY}`)).not.toContain(".bashrc");
    await expectNothingLeft(stage);
  });

  it("is not allowed more by the repository's own settings; the project's may name a folder", async () => {
    const stage = await newStage({
      config: `${ON}sandbox_write = ["~/granted"]\n`,
      tasks: [aTask("form")],
      steps: { form: tries("one.json") },
    });
    mkdirSync(join(stage.home, "granted"));
    const sandbox = {
      enabled: false,
      allowUnsandboxedCommands: true,
      excludedCommands: ["node *", "node"],
      filesystem: { disabled: true, allowWrite: ["/", stage.path, stage.home] },
    };
    stage.write(".claude/settings.json", { sandbox });
    stage.git("add", "--", ".claude");
    stage.git("commit", "--quiet", "--message=Settings");
    await expectExit(0, stage.work());
    expect(reachedIn(stage, "one.json")).toEqual([...INSIDE, "granted"]);
  });

  it("is not allowed more by settings that the agent writes with another tool", async () => {
    const hook = { type: "command", command: 'touch "$HOME/reached"' };
    const content = JSON.stringify({ hooks: { PreToolUse: [{ hooks: [hook] }] } });
    const stage = await newStage({
      config: ON,
      tasks: [aTask("form")],
      steps: {
        form: [
          { write: ".claude/settings.json", content },
          { run: "ln -s .claude door" },
          { write: "door/settings.local.json", content },
          { write: "a.txt", content: "a\n" },
          // Claude Code reads them again when they have changed.
          { run: "node -e 'setTimeout(() => {}, 4_000)'" },
          { run: "rm door" },
        ],
      },
    });
    await expectExit(0, stage.work());
    const refused = (await stage.events("tool.refused")).map(({ reason }) => reason);
    expect(refused).toEqual([
      expect.stringContaining("outside of the sandbox"),
      expect.stringContaining("outside of the sandbox"),
    ]);
    expect(existsSync(join(stage.home, "reached"))).toBe(false);
  });

  it("leaves no trace when it is killed", async () => {
    const stage = await newStage({
      config: ON,
      tasks: [aTask("form")],
      steps: { form: [{ run: "ls -A > seen.txt; node -e 'setTimeout(() => {}, 600_000)'" }] },
    });
    const stop = new AbortController();
    const words = ["run", STORY, "--foreground", "--json"];
    const ended = stage.sagaUntil({ stop: stop.signal, env: stage.env }, ...words);
    const seen = join(stage.worktree, "seen.txt");
    // So they were there.
    await expect.poll(() => readTextIfThere(seen) ?? "").toContain(".bashrc");
    stop.abort();
    expect((await ended).json()).toMatchObject({ outcome: "stopped" });
    expect(stage.git("-C", stage.worktree, "status", "--short")).toBe("?? seen.txt");
    expect(filesOf(stage, `refs/saga/keep/${STORY}/1`)).toContain("seen.txt");
    expect(filesOf(stage, `refs/saga/keep/${STORY}/1`)).not.toContain(".bashrc");
    stage.git("config", "saga.test", "the configuration is not locked");
    await expectNothingLeft(stage);
  });

  it("that still runs when a task is completed adds nothing to its commit", async () => {
    const obey = follows({ form: [{ write: "a.txt", content: "a\n" }, { run: "cat pipe" }] });
    const stage = await newStage({
      config: ON,
      tasks: [aTask("form")],
      script: async (turn) => {
        const reply = await obey(turn);
        if (!JSON.stringify(reply).includes("cat pipe")) return reply;
        execFileSync("mkfifo", [join(stage.worktree, "pipe")]);
        // In one turn with the call before it: Claude Code runs the two beside each other.
        return together(reply, say({ tool: "TaskUpdate", input: COMPLETED }));
      },
    });
    const working = stage.work();
    const isCommitted = async () => expect(await stage.events("task.committed")).toHaveLength(1);
    await vi.waitFor(isCommitted, { timeout: 50_000 });
    const during = readdirSync(stage.worktree);
    writeFileSync(join(stage.worktree, "pipe"), "go on\n");
    await expectExit(0, working);
    expect(during).toContain(".bashrc");
    expect(filesOf(stage, `story/${STORY}`)).toContain("a.txt");
    expect(filesOf(stage, `story/${STORY}`)).not.toContain(".bashrc");
  });
});

describe.runIf(problem === undefined)("with the sandbox, a command of the tester's", () => {
  const tester = (): Script => {
    const obey = follows();
    return (turn) => {
      if (!turn.tools.includes("mcp__saga__verdict")) return obey(turn);
      const { calls } = conversation(turn);
      const command =
        'touch here.txt; node -e \'fs.writeFileSync(process.env.HOME + "/reached", "")\'';
      const input = { isPassed: true, summary: calls.at(-1)?.answer ?? "", findings: [] };
      if (calls.length === 0) return say({ tool: "Bash", input: { command, description: "Try" } });
      return say(calls.length === 1 ? { tool: "mcp__saga__verdict", input } : "Bye.");
    };
  };

  it("reaches nothing outside of what is tested", async () => {
    const story = { needsTesting: true };
    const stage = await newStage({ config: ON, tasks: [aTask("form")], story, script: tester() });
    await expectExit(0, stage.work());
    const tested = (await stage.events("gate")).find(({ gate }) => gate === "test");
    expect(tested?.["how"]).toMatch(/EROFS|EPERM|EACCES/);
    expect(existsSync(join(stage.home, "reached"))).toBe(false);
    stage.git("config", "saga.test", "the configuration is not locked");
    await expectNothingLeft(stage);
  });
});

describe("without the sandbox, a command of the agent's", () => {
  it("can write everywhere, so the attempts above are real", async () => {
    const stage = await newStage({ tasks: [aTask("form")], steps: { form: tries("one.json") } });
    await stage.work();
    const outside = ["home", "project", "stories", ...SHARED, "receiptKey"];
    expect(reachedIn(stage, "one.json")).toEqual([...INSIDE, ...outside]);
  });
});

describe.runIf(process.platform === "linux")("a sandbox that does not work here", () => {
  it("is reported before anything starts, with what to install", async () => {
    const stage = await newStage({ config: ON });
    const bin = newFolder();
    bin.link("git", execFileSync("which", ["git"], { encoding: "utf8" }).trim());
    const env = { ...stage.env, PATH: bin.path };
    const ended = await expectExit(1, stage.sagaWithEnv(env, "run", STORY, "--foreground"));
    expect(ended.stderr).toContain("bubblewrap and socat not found");
    expect(ended.stderr).toContain("apt-get install bubblewrap socat");
    expect(ended.stderr).toContain("saga config set claude.sandbox false");
    expect(existsSync(stage.worktree)).toBe(false);
    expect(stage.model.turns()).toBe(0);
    await expectNothingLeft(stage);
  });
});

const COMPLETED = { taskId: "form", status: "completed" };

function together(...replies: readonly Reply[]): Reply {
  return { kind: "say", blocks: replies.flatMap((it) => (it.kind === "say" ? it.blocks : [])) };
}

const filesOf = (stage: Stage, ref: string): string[] =>
  stage.git("ls-tree", "-r", "--name-only", ref).split("\n");
