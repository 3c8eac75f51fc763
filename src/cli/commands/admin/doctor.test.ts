import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  newMachine,
  realProgram,
  diagnosesOf,
  diagnosis,
} from "../../../../test/support/examined.ts";
import { aStory, newFolder, newProject, type Project } from "../../../../test/support/project.ts";
import { isHarmless, misused, wholeDisk } from "../../../../test/support/refused.ts";
import { isAtLeast } from "../../../text/version.ts";

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
      const result = await project.sagaWithEnv(machine.env, "doctor");
      expect(result.stderr).toBe("");
      expect(result.stdout).not.toContain("✗");
      expect(result.exitCode).toBe(0);
      for (const name of ["node", "git", "repository", "git author", "tmux", "claude"]) {
        expect(result.stdout).toMatch(new RegExp(`^✓ ${name} `, "m"));
      }
      expect(result.stdout).toContain("A Person <a@example.org>");
      expect(result.stdout).toMatch(/^✓ disk +[\d.]+ GB free$|^! disk/m);
      const { json } = await project.sagaWithEnv(machine.env, "doctor", "--json");
      expect(json()["isHealthy"]).toBe(true);
    },
  );

  it("says how to fix whatever is not in order, and exits with 1", async () => {
    const machine = newMachine();
    const result = await newFolder().sagaWithEnv(machine.env, "doctor");
    expect(result.exitCode).toBe(1);
    const lines = result.stdout.trimEnd().split("\n");
    lines.forEach((line, at) => {
      const hasFix = lines[at + 1]?.startsWith("   ") ?? false;
      expect(hasFix || /^[✓ ]/.test(line)).toBe(true);
    });
    const { json } = await newFolder().sagaWithEnv(machine.env, "doctor", "--json");
    expect(json()["isHealthy"]).toBe(false);
  });

  it("gives programs a name, a verdict, what was found and a fix", async () => {
    const result = await newFolder().sagaWithEnv(newMachine().env, "doctor", "--json");
    for (const one of diagnosesOf(result)) {
      expect(["ok", "warn", "fail"]).toContain(one.verdict);
      expect(one.found).not.toBe("");
      expect(one.fix === undefined).toBe(one.verdict === "ok");
    }
  });

  it("finds the author in git settings stored elsewhere", async () => {
    const machine = newMachine();
    machine.install("git");
    const settings = machine.home.write("git-settings", "[user]\nname = A\nemail = a@b.org\n");
    machine.env["GIT_CONFIG_GLOBAL"] = settings;
    const author = await diagnosis(newFolder(), machine, "git author");
    expect(author.found).toBe("A <a@b.org>");
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
    const result = await repository.sagaWithEnv(machine.env, "doctor", "--json", "-C", "app");
    const found = diagnosesOf(result).find(({ name }) => name === "repository");
    expect(found).toMatchObject({
      verdict: "fail",
      found: `its top folder is above this project: ${repository.path}`,
    });
  });

  it("no author for commits", async () => {
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
    expect(found).toMatchObject({ verdict: "fail", found: "2.9a" });
    expect(found.fix).toContain("3.2 or newer");
  });

  it("new enough", async () => {
    const machine = newMachine();
    machine.pretend("tmux", "echo tmux 3.2a");
    expect(await diagnosis(newProject(), machine, "tmux")).toMatchObject({
      verdict: "ok",
      found: "3.2a",
    });
  });
});

describe("saga doctor examines the sandbox:", () => {
  const isExamined = async (project: Project): Promise<boolean> => {
    const result = await project.sagaWithEnv(newMachine().env, "doctor", "--json");
    return diagnosesOf(result).some(({ name }) => name === "sandbox");
  };

  it("not unless the setting is on", async () => {
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

  it("no login", async () => {
    const machine = newMachine();
    machine.pretend("gh", 'case "$1" in --version) echo gh version 2.40.0 ;; *) exit 1 ;; esac');
    expect(await diagnosis(newProject(), machine, "gh")).toMatchObject({ verdict: "ok" });
    const found = await diagnosis(newProject(), machine, "gh login");
    expect(found).toMatchObject({ verdict: "warn", fix: "Run `gh auth login`." });
  });

  it("a logged-in account", async () => {
    const machine = newMachine();
    machine.pretend("gh", "echo gh version 2.40.0");
    expect(await diagnosis(newProject(), machine, "gh login")).toMatchObject({ verdict: "ok" });
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
