import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  aStory,
  newFolder,
  newProject,
  snapshot,
  type Project,
  type Spoken,
} from "../../../test/support/project.ts";
import { isHarmless, misused, wholeDisk } from "../../../test/support/refused.ts";
import { thisProcess } from "../../machine/process.ts";
import { isAtLeast, type Diagnosis } from "../doctor.ts";

/** A home folder of its own, and no other programs than those put into its `bin`. */
interface Machine {
  readonly home: Project;
  readonly env: Record<string, string>;
  /** Puts a small program there that only says this, whatever it is asked. */
  readonly pretend: (program: string, script: string) => string;
  /** Puts the real one there. */
  readonly install: (program: string) => void;
}

/** Nothing is installed but a Claude Code that answers quickly. */
function newMachine(): Machine {
  const machine = emptyMachine();
  machine.pretend("claude", claude());
  return machine;
}

function emptyMachine(): Machine {
  const home = newFolder("home");
  mkdirSync(join(home.path, "bin"));
  return {
    home,
    env: {
      PATH: join(home.path, "bin"),
      HOME: home.path,
      SAGA_SESSION_DIR: join(home.path, "sessions"),
    },
    pretend(program, script) {
      const file = home.write(join("bin", program), `#!/bin/sh\n${script}\n`);
      chmodSync(file, 0o755);
      return file;
    },
    install(program) {
      home.link(join("bin", program), realProgram(program) ?? "");
    },
  };
}

const realProgram = (program: string): string | undefined =>
  (process.env["PATH"] ?? "")
    .split(delimiter)
    .map((folder) => join(folder, program))
    .find((file) => existsSync(file));

/** A Claude Code that answers like one, and quickly. */
const claude = ({
  version = "2.1.325 (Claude Code)",
  login = '{"loggedIn":true,"authMethod":"claude.ai"}',
  tools = '"Bash","TaskList","TaskGet","TaskUpdate","TaskCreate"',
} = {}): string => `case "$1" in
  --version) echo '${version}' ;;
  auth) echo '${login}' ;;
  *) echo '{"type":"system","subtype":"init","tools":[${tools}]}' ;;
esac`;

const gitIn = (project: Project, ...words: string[]): string =>
  execFileSync("git", words, {
    cwd: project.path,
    env: { PATH: process.env["PATH"], HOME: project.path },
    encoding: "utf8",
  });

const gitInit = (project: Project): string => gitIn(project, "init", "--quiet");

const gitCommit = (project: Project): string => {
  const who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"];
  return gitIn(project, ...who, "commit", "--quiet", "--allow-empty", "--message=First");
};

const diagnosesOf = (spoken: Spoken): readonly Diagnosis[] =>
  (spoken.json() as { diagnoses: Diagnosis[] }).diagnoses;

async function diagnosis(project: Project, machine: Machine, name: string): Promise<Diagnosis> {
  const spoken = await project.sagaWithEnv(machine.env, "doctor", "--json");
  const found = diagnosesOf(spoken).find((one) => one.name === name);
  return found ?? { name, verdict: "fail", found: "not examined" };
}

describe("saga doctor", () => {
  it.skipIf(realProgram("tmux") === undefined)(
    "finds a good machine and a good project healthy",
    async () => {
      const machine = newMachine();
      machine.install("git");
      machine.install("tmux");
      machine.home.write(".gitconfig", "[user]\nname = A Person\nemail = a@example.org\n");
      const project = newProject();
      project.write(".saga/stories/s/story.json", aStory("s"));
      gitInit(project);
      gitCommit(project);
      const spoken = await project.sagaWithEnv(machine.env, "doctor");
      expect(spoken.stderr).toBe("");
      expect(spoken.stdout).not.toContain("✗");
      expect(spoken.exitCode).toBe(0);
      for (const name of ["node", "git", "repository", "git author", "tmux", "claude"]) {
        expect(spoken.stdout).toMatch(new RegExp(`^✓ ${name} `, "m"));
      }
      expect(spoken.stdout).toContain("A Person <a@example.org>");
      expect(spoken.stdout).toMatch(/^✓ disk +[\d.]+ GB free$|^! disk/m);
      const { json } = await project.sagaWithEnv(machine.env, "doctor", "--json");
      expect(json()["isHealthy"]).toBe(true);
    },
  );

  it("says how to fix whatever is not in order, and exits with 1", async () => {
    const machine = newMachine();
    const spoken = await newFolder().sagaWithEnv(machine.env, "doctor");
    expect(spoken.exitCode).toBe(1);
    const lines = spoken.stdout.trimEnd().split("\n");
    lines.forEach((line, at) => {
      const hasFix = lines[at + 1]?.startsWith("   ") ?? false;
      expect(hasFix || /^[✓ ]/.test(line)).toBe(true);
    });
    const { json } = await newFolder().sagaWithEnv(machine.env, "doctor", "--json");
    expect(json()["isHealthy"]).toBe(false);
  });

  it("gives programs a name, a verdict, what was found and a fix", async () => {
    const spoken = await newFolder().sagaWithEnv(newMachine().env, "doctor", "--json");
    for (const one of diagnosesOf(spoken)) {
      expect(["ok", "warn", "fail"]).toContain(one.verdict);
      expect(one.found).not.toBe("");
      expect(one.fix === undefined).toBe(one.verdict === "ok");
    }
  });

  it("changes nothing in the project", async () => {
    const machine = newMachine();
    const project = newProject();
    project.write(".saga/stories/s/story.json", "{");
    const before = wholeDisk(project.path);
    await project.sagaWithEnv(machine.env, "doctor");
    expect(wholeDisk(project.path)).toBe(before);
  });

  it("leaves no session folder behind that was not there", async () => {
    const machine = newMachine();
    await newProject().sagaWithEnv(machine.env, "doctor");
    expect(existsSync(machine.env["SAGA_SESSION_DIR"] ?? "")).toBe(false);
  });

  it("has examples in its help", async () => {
    const { exitCode, stdout } = await newFolder().saga("doctor", "--help");
    expect(exitCode).toBe(0);
    expect(stdout).toContain("Usage: saga doctor");
    expect(stdout).toMatch(/Examples:\n {2}saga doctor\n/);
  });

  it("takes no words", async () => {
    expect((await misused(newFolder(), "doctor", "git")).message).toContain("Too many");
  });

  it("says of a folder that does not exist that it does not exist", async () => {
    const env = newMachine().env;
    const words = ["doctor", "-C", "no/such/folder"];
    const { exitCode, stdout, stderr } = await newFolder().sagaWithEnv(env, ...words);
    expect(exitCode).toBe(1);
    expect(stdout + stderr).toContain("no/such/folder");
  });
});

describe("saga doctor examines git:", () => {
  it("not found", async () => {
    const found = await diagnosis(newProject(), newMachine(), "git");
    expect(found).toMatchObject({ verdict: "fail", found: "not found" });
    expect(found.fix).toMatch(/install git/);
  });

  it("too old", async () => {
    const machine = newMachine();
    machine.pretend("git", "echo git version 2.20.1");
    const found = await diagnosis(newProject(), machine, "git");
    expect(found).toMatchObject({ verdict: "fail", found: "2.20.1" });
    expect(found.fix).toMatch(/2\.38 or newer/);
  });

  it("no repository here", async () => {
    const machine = newMachine();
    machine.install("git");
    const found = await diagnosis(newProject(), machine, "repository");
    expect(found).toMatchObject({ verdict: "fail", fix: "Run `git init`." });
  });

  it("a repository without a commit", async () => {
    const machine = newMachine();
    machine.install("git");
    const project = newProject();
    gitInit(project);
    const found = await diagnosis(project, machine, "repository");
    expect(found).toMatchObject({ verdict: "fail", found: "has no commit yet" });
    expect(found.fix).toContain("git commit");
  });

  it("a project below the top of its repository", async () => {
    const machine = newMachine();
    machine.install("git");
    const repository = newFolder();
    gitInit(repository);
    gitCommit(repository);
    repository.write("app/.saga/config.toml", "");
    const spoken = await repository.sagaWithEnv(machine.env, "doctor", "--json", "-C", "app");
    const found = diagnosesOf(spoken).find(({ name }) => name === "repository");
    expect(found).toMatchObject({
      verdict: "fail",
      found: `begins above this project, in ${repository.path}`,
    });
  });

  it("nobody to commit as", async () => {
    const machine = newMachine();
    machine.install("git");
    const found = await diagnosis(newProject(), machine, "git author");
    expect(found.verdict).toBe("fail");
    expect(found.fix).toContain("git config --global user.name");
    expect(found.fix).toContain("user.email");
  });

  it("a repository in a folder with an odd name", async () => {
    const machine = newMachine();
    machine.install("git");
    const project = newProject("it's $(touch pwned)\nmy 計画");
    gitInit(project);
    gitCommit(project);
    const found = await diagnosis(project, machine, "repository");
    expect(found).toEqual({ name: "repository", verdict: "ok", found: project.path });
    const { stdout } = await project.sagaWithEnv(machine.env, "doctor");
    expect(isHarmless(stdout)).toBe(true);
    expect(stdout).toMatch(/^✓ repository .*my 計画$/m);
    expect(existsSync(join(project.path, "pwned"))).toBe(false);
  });
});

describe("saga doctor examines tmux:", () => {
  it("not found", async () => {
    const found = await diagnosis(newProject(), newMachine(), "tmux");
    expect(found).toMatchObject({ verdict: "fail", found: "not found" });
    expect(found.fix).toMatch(/install tmux/);
  });

  it("too old", async () => {
    const machine = newMachine();
    machine.pretend("tmux", "echo tmux 2.9a");
    const found = await diagnosis(newProject(), machine, "tmux");
    expect(found).toMatchObject({ verdict: "fail", found: "2.9" });
    expect(found.fix).toContain("3.2 or newer");
  });

  it("new enough", async () => {
    const machine = newMachine();
    machine.pretend("tmux", "echo tmux 3.2a");
    expect(await diagnosis(newProject(), machine, "tmux")).toMatchObject({ verdict: "ok" });
  });
});

describe("saga doctor examines the sandbox:", () => {
  const isExamined = async (project: Project): Promise<boolean> => {
    const spoken = await project.sagaWithEnv(newMachine().env, "doctor", "--json");
    return diagnosesOf(spoken).some(({ name }) => name === "sandbox");
  };

  it("not when nobody wants it", async () => {
    expect(await isExamined(newProject())).toBe(false);
    expect(await isExamined(newFolder())).toBe(false);
  });

  it.runIf(process.platform === "linux")("its programs are missing", async () => {
    const project = newProject();
    project.write(".saga/config.toml", "[claude]\nsandbox = true\n");
    const found = await diagnosis(project, newMachine(), "sandbox");
    expect(found).toMatchObject({ verdict: "fail", found: "bubblewrap and socat not found" });
    expect(found.fix).toContain("apt-get install bubblewrap socat");
  });

  it("at work", async () => {
    const project = newProject();
    project.write(".saga/config.toml", "[claude]\nsandbox = true\n");
    const machine = newMachine();
    machine.pretend("bwrap", "exit 0");
    machine.pretend("socat", "exit 0");
    const found = await diagnosis(project, machine, "sandbox");
    expect(found).toEqual({ name: "sandbox", verdict: "ok", found: "works here" });
  });
});

describe("saga doctor examines gh, which only GitHub needs:", () => {
  it("not found", async () => {
    const found = await diagnosis(newProject(), newMachine(), "gh");
    expect(found.verdict).toBe("warn");
    expect(found.fix).toContain("only needed for GitHub");
  });

  it("nobody logged in", async () => {
    const machine = newMachine();
    machine.pretend("gh", 'case "$1" in --version) echo gh version 2.40.0 ;; *) exit 1 ;; esac');
    expect(await diagnosis(newProject(), machine, "gh")).toMatchObject({ verdict: "ok" });
    const found = await diagnosis(newProject(), machine, "gh login");
    expect(found).toMatchObject({ verdict: "warn", fix: "Run `gh auth login`." });
  });

  it("somebody logged in", async () => {
    const machine = newMachine();
    machine.pretend("gh", "echo gh version 2.40.0");
    expect(await diagnosis(newProject(), machine, "gh login")).toMatchObject({ verdict: "ok" });
  });
});

describe("saga doctor examines the real Claude Code:", () => {
  it("the one that came with Saga, when there is none on PATH", async () => {
    const found = await diagnosis(newProject(), emptyMachine(), "claude");
    expect(found.verdict).toBe("ok");
    expect(found.found).toMatch(/^\d+\.\d+\.\d+, the one that came with Saga$/);
  });

  it("nobody logged in", async () => {
    const found = await diagnosis(newProject(), emptyMachine(), "claude login");
    expect(found).toMatchObject({ verdict: "fail", found: "nobody is logged in" });
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
    expect(found).toMatchObject({ verdict: "ok", found: "by api key" });
    const { stdout } = await newProject().sagaWithEnv(machine.env, "doctor");
    expect(stdout).not.toContain("sk-ant");
  });

  it("the Task tools would be there in a run", async () => {
    const found = await diagnosis(newProject(), emptyMachine(), "task tools");
    expect(found).toEqual({ name: "task tools", verdict: "ok", found: "available" });
  });

  it("a path in the settings is used instead", async () => {
    const machine = emptyMachine();
    machine.home.link("tools/claude", join(import.meta.dirname, "../../..", REAL_CLAUDE));
    const project = newProject();
    project.write(".saga/config.toml", '[claude]\npath = "~/tools/claude"\n');
    const found = await diagnosis(project, machine, "claude");
    expect(found.verdict).toBe("ok");
    expect(found.found).toContain(join(machine.home.path, "tools/claude"));
  });
});

const REAL_CLAUDE = `node_modules/@anthropic-ai/claude-agent-sdk-${process.platform}-${process.arch}/claude`;

describe("saga doctor examines any Claude Code:", () => {
  it("the one on PATH comes before the one that came with Saga", async () => {
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

  it("one that is no program at all", async () => {
    const machine = newMachine();
    chmodSync(machine.home.write("bin/claude", "\u0000nonsense"), 0o755);
    const found = await diagnosis(newProject(), machine, "claude");
    expect(found.verdict).toBe("fail");
  });

  it("one that is old", async () => {
    const machine = newMachine();
    machine.pretend("claude", claude({ version: "1.0.5 (Claude Code)" }));
    const found = await diagnosis(newProject(), machine, "claude");
    expect(found.verdict).toBe("warn");
    expect(found.fix).toContain("claude update");
  });

  it("one that does not tell whether someone is logged in", async () => {
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

describe("saga doctor examines the project:", () => {
  it("there is none", async () => {
    const found = await diagnosis(newFolder(), newMachine(), "project");
    expect(found).toMatchObject({ verdict: "fail", fix: "Run `saga init`." });
  });

  it.each([
    [0, "0 stories"],
    [1, "1 story"],
    [2, "2 stories"],
  ])("a good one with %d stories", async (amount, words) => {
    const project = newProject();
    for (let at = 0; at < amount; at++) {
      project.write(`.saga/stories/s${at}/story.json`, aStory(`s${at}`));
    }
    const found = await diagnosis(project, newMachine(), "project");
    expect(found).toEqual({ name: "project", verdict: "ok", found: `${project.path}, ${words}` });
  });

  it.each([
    [1, "1 error in its files"],
    [2, "2 errors in its files"],
  ])("one with %d errors, and which command tells them", async (amount, words) => {
    const project = newProject();
    for (let at = 0; at < amount; at++) project.write(`.saga/stories/s${at}/story.json`, "{");
    const found = await diagnosis(project, newMachine(), "project");
    expect(found).toMatchObject({ verdict: "fail", found: words, fix: "Run `saga validate`." });
  });

  it("wrong settings are an error among the others", async () => {
    const project = newProject();
    project.write(".saga/config.toml", "[size\n");
    const found = await diagnosis(project, newMachine(), "project");
    expect(found).toMatchObject({ verdict: "fail", fix: "Run `saga validate`." });
  });

  it.each(["stories", "epics", "leases", "worktrees"])(
    "a file in the place of %s does not hide the rest",
    async (name) => {
      const project = newProject();
      project.write(`.saga/${name}`, "in the way\n");
      const spoken = await project.sagaWithEnv(newMachine().env, "doctor", "--json");
      expect(spoken.exitCode).toBe(1);
      expect(diagnosesOf(spoken).map((one) => one.name)).toContain("disk");
      expect(spoken.stdout).toContain(`.saga/${name}`);
    },
  );

  it("a folder in the place of the settings does not hide the rest", async () => {
    const folder = newFolder();
    mkdirSync(join(folder.path, ".saga/config.toml"), { recursive: true });
    const spoken = await folder.sagaWithEnv(newMachine().env, "doctor", "--json");
    expect(spoken.exitCode).toBe(1);
    expect(diagnosesOf(spoken).map((one) => one.name)).toContain("disk");
  });
});

describe("saga doctor examines leases:", () => {
  const lease = (more: Record<string, unknown>): Record<string, unknown> => ({
    ...thisProcess(),
    owner: "worker 7",
    takenAt: "2026-01-01T00:00:00.000Z",
    expiresAt: "2026-01-01T00:01:00.000Z",
    generation: 1,
    ...more,
  });

  it("none left", async () => {
    const project = newProject();
    project.write(".saga/leases/story.done/3.json", "");
    const found = await diagnosis(project, newMachine(), "leases");
    expect(found).toMatchObject({ verdict: "ok", found: "none left by a dead process" });
  });

  it("one of a dead process, which is named, and left where it is", async () => {
    const project = newProject();
    project.write(".saga/leases/story.s/1.json", lease({ startTime: "long ago", pid: 4_194_999 }));
    const before = snapshot(project.path);
    const found = await diagnosis(project, newMachine(), "leases");
    expect(found.verdict).toBe("warn");
    expect(found.found).toContain("story.s (process 4194999)");
    expect(found.fix).toBeDefined();
    expect(snapshot(project.path)).toBe(before);
    expect(existsSync(join(project.path, ".saga/leases/story.s/1.json"))).toBe(true);
  });

  it("one of a living process is in order", async () => {
    const project = newProject();
    project.write(".saga/leases/story.s/1.json", lease({}));
    expect(await diagnosis(project, newMachine(), "leases")).toMatchObject({ verdict: "ok" });
  });
});

describe("saga doctor examines the session folder:", () => {
  it("not there yet is fine", async () => {
    const machine = newMachine();
    const found = await diagnosis(newProject(), machine, "session folder");
    expect(found).toMatchObject({ verdict: "ok", found: machine.env["SAGA_SESSION_DIR"] });
  });

  it("closed to others is fine", async () => {
    const machine = newMachine();
    mkdirSync(join(machine.home.path, "sessions"), { mode: 0o700 });
    expect(await diagnosis(newProject(), machine, "session folder")).toMatchObject({
      verdict: "ok",
    });
  });

  it.each([0o755, 0o770, 0o701])("open to others is not: %o", async (mode) => {
    const machine = newMachine();
    mkdirSync(join(machine.home.path, "sessions"));
    chmodSync(join(machine.home.path, "sessions"), mode);
    const found = await diagnosis(newProject(), machine, "session folder");
    expect(found.verdict).toBe("fail");
    expect(found.found).toContain("is open to other users");
    expect(found.fix).toContain("chmod 700");
  });

  it("a file in its place", async () => {
    const machine = newMachine();
    machine.home.write("sessions", "in the way\n");
    const found = await diagnosis(newProject(), machine, "session folder");
    expect(found.verdict).toBe("fail");
    expect(found.found).toContain("is not a folder");
  });

  it("a link in its place", async () => {
    const machine = newMachine();
    mkdirSync(join(machine.home.path, "elsewhere"), { mode: 0o700 });
    machine.home.link("sessions", "elsewhere");
    expect(await diagnosis(newProject(), machine, "session folder")).toMatchObject({
      verdict: "fail",
    });
  });
});

describe("a version is compared", () => {
  it.each([
    ["2.38", "2.38", true],
    ["2.38.1", "2.38", true],
    ["2.9", "2.38", false],
    ["3", "2.38", true],
    ["3.2", "3.2", true],
    ["20.18.9", "20.19", false],
    ["22.0.0", "20.19", true],
    ["2.1", "2.1.233", false],
  ])("as numbers: %s against %s", (version, oldest, isEnough) => {
    expect(isAtLeast(version, oldest)).toBe(isEnough);
  });
});
