import { chmodSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newMachine, emptyMachine, claude, diagnosis } from "../../../../test/support/examined.ts";
import { root } from "../../../../test/support/programs.ts";
import { newProject } from "../../../../test/support/project.ts";
import { isHarmless } from "../../../../test/support/refused.ts";

const REAL_CLAUDE = `node_modules/@anthropic-ai/claude-agent-sdk-${process.platform}-${process.arch}/claude`;

describe("saga doctor examines the real Claude Code:", () => {
  it("the one bundled with Saga, when there is none on PATH", async () => {
    const found = await diagnosis(newProject(), emptyMachine(), "claude");
    expect(found.verdict).toBe("ok");
    expect(found.found).toMatch(/^\d+\.\d+\.\d+, bundled with Saga$/);
  });

  it("no login", async () => {
    const found = await diagnosis(newProject(), emptyMachine(), "claude login");
    expect(found).toMatchObject({ verdict: "fail", found: "not logged in" });
    expect(found.fix).toContain("claude auth login");
    expect(found.fix).toContain("ANTHROPIC_API_KEY");
    // `claude` alone would not be found.
    const [, program = ""] = /`(?<program>\/\S+\/claude) auth login`/.exec(found.fix ?? "") ?? [];
    expect(existsSync(program), found.fix).toBe(true);
  });

  it("a key in the environment counts as a login, and is not shown", async () => {
    const machine = emptyMachine();
    machine.env["ANTHROPIC_API_KEY"] = "sk-ant-not-a-real-key";
    const found = await diagnosis(newProject(), machine, "claude login");
    expect(found).toMatchObject({ verdict: "ok", found: "by API key" });
    const { stdout } = await newProject().sagaWithEnv(machine.env, "doctor");
    expect(stdout).not.toContain("sk-ant");
  });

  it("the Task tools would be there in a run", async () => {
    const found = await diagnosis(newProject(), emptyMachine(), "task tools");
    expect(found).toEqual({ name: "task tools", verdict: "ok", found: "available" });
  });

  it("a path in the settings is used instead", async () => {
    const machine = emptyMachine();
    machine.home.link("tools/claude", join(root, REAL_CLAUDE));
    const project = newProject();
    project.write(".saga/config.toml", '[claude]\npath = "~/tools/claude"\n');
    const found = await diagnosis(project, machine, "claude");
    expect(found.verdict).toBe("ok");
    expect(found.found).toContain(join(machine.home.path, "tools/claude"));
  });
});

describe("saga doctor examines any Claude Code:", () => {
  it("the one on PATH wins over the one bundled with Saga", async () => {
    const machine = newMachine();
    const file = machine.pretend("claude", claude());
    const found = await diagnosis(newProject(), machine, "claude");
    expect(found).toMatchObject({ verdict: "ok", found: `2.1.325, ${file}` });
    const login = await diagnosis(newProject(), machine, "claude login");
    expect(login).toMatchObject({ verdict: "ok", found: "by claude.ai" });
  });

  it.each(["/no/such/claude", "tools", "notes.txt"])(
    "a path in the settings that cannot be run: %s",
    async (path) => {
      const project = newProject();
      mkdirSync(join(project.path, "tools"));
      project.write("notes.txt", "not a program\n");
      project.write(".saga/config.toml", `[claude]\npath = "${path}"\n`);
      const found = await diagnosis(project, newMachine(), "claude");
      expect(found).toMatchObject({ verdict: "fail", found: `${path} cannot be run` });
      expect(found.fix).toContain("saga config set claude.path");
    },
  );

  it("one that does not answer", async () => {
    const machine = newMachine();
    const file = machine.pretend("claude", "exit 1");
    const found = await diagnosis(newProject(), machine, "claude");
    expect(found).toMatchObject({ verdict: "fail", found: `${file} does not answer` });
    expect(found.fix).not.toBe("");
  });

  it("a file that is not a program", async () => {
    const machine = newMachine();
    chmodSync(machine.home.write("bin/claude", "\u0000nonsense"), 0o755);
    const found = await diagnosis(newProject(), machine, "claude");
    expect(found.verdict).toBe("fail");
  });

  it.each(["1.0.5", "2.1.16", "2.1.30", "2.1.32"])("one that is too old: %s", async (version) => {
    const machine = newMachine();
    machine.pretend("claude", claude({ version: `${version} (Claude Code)` }));
    const found = await diagnosis(newProject(), machine, "claude");
    expect(found.verdict).toBe("fail");
    expect(found.fix).toContain("claude update");
  });

  it.each(["2.1.33", "2.1.200", "2.1.400", "3.0.0"])(
    "one that is supported: %s",
    async (version) => {
      const machine = newMachine();
      machine.pretend("claude", claude({ version: `${version} (Claude Code)` }));
      expect((await diagnosis(newProject(), machine, "claude")).verdict).toBe("ok");
    },
  );

  it("one that does not report the login", async () => {
    const machine = newMachine();
    machine.pretend("claude", claude({ login: "what?" }));
    expect(await diagnosis(newProject(), machine, "claude login")).toMatchObject({
      verdict: "warn",
    });
  });

  it("one without the Task tools, and names those that are missing", async () => {
    const machine = newMachine();
    machine.pretend("claude", claude({ tools: '"Bash","TaskList"' }));
    const found = await diagnosis(newProject(), machine, "task tools");
    expect(found).toMatchObject({
      verdict: "fail",
      found: "missing: TaskGet, TaskUpdate, TaskCreate",
    });
  });

  it("a path with terminal escapes is shown harmlessly", async () => {
    const project = newProject();
    project.write(".saga/config.toml", '[claude]\npath = "a\\u001b[31m\\u009b31m"\n');
    const { stdout } = await project.sagaWithEnv(newMachine().env, "doctor");
    expect(stdout).toContain("cannot be run");
    expect(isHarmless(stdout)).toBe(true);
  });
});
