import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { newFolder, ODD_NAMES, type Project, snapshot } from "../../../../test/support/project.ts";
import { misused, refused } from "../../../../test/support/refused.ts";

const git = (project: Project, ...words: string[]): string =>
  execFileSync("git", words, {
    cwd: project.path,
    env: { PATH: process.env["PATH"], HOME: project.path },
    encoding: "utf8",
  });

describe("saga init", () => {
  it("creates the settings and the ignore rules, and says what to do next", async () => {
    const folder = newFolder();
    const { exitCode, stdout, stderr } = await folder.saga("init");
    expect(exitCode).toBe(0);
    expect(stderr).toBe("");
    expect(stdout).toContain(`Saga is set up in ${folder.path}.`);
    expect(stdout).toContain("created  .saga/config.toml");
    expect(stdout).toContain("created  .saga/.gitignore");
    expect(stdout).toContain("saga new story");
    expect(folder.read(".saga/config.toml")).toContain("[size]");
    expect(folder.read(".saga/config.toml")).toContain("# max_cost = 25\n");
    expect(folder.read(".saga/.gitignore")).toContain("worktrees/");
  });

  it("asks a person four questions at a new project, with the detected check as default", async () => {
    const folder = newFolder();
    folder.write("package.json", { scripts: { test: "vitest run" } });
    const { stdout, stderr } = await folder.sagaAnswered({ answer: "" }, "init");
    expect(stderr).toContain("[npm test]: ");
    expect(stderr.match(/\]: /g)).toHaveLength(4);
    expect(stdout).toContain('  set      plan.checks = ["npm test"]\n');
    await folder.saga("new", "story", "add-login", "-d", "x");
    expect(folder.json(".saga/stories/add-login/story.json")).toMatchObject({
      checks: ["npm test"],
    });
    const again = await folder.sagaAnswered({ answer: "" }, "init");
    expect(again.stderr).toBe("");
  });

  it("asks nothing with --yes or --json, and takes no answer that makes no sense", async () => {
    for (const word of ["--yes", "--json"]) {
      const { stderr } = await newFolder().sagaAnswered({ answer: "" }, "init", word);
      expect(stderr).toBe("");
    }
    const folder = newFolder();
    const { exitCode, stderr } = await folder.sagaAnswered({ answer: "maybe" }, "init");
    expect(exitCode).toBe(0);
    expect(stderr).toContain("Use one of: auto, always, never.");
    expect((await folder.saga("config", "get", "git.push")).stdout).toBe("auto\n");
  });

  it("lists the created files in JSON", async () => {
    const folder = newFolder();
    const { exitCode, json } = await folder.saga("init", "--json");
    expect(exitCode).toBe(0);
    expect(json()).toEqual({
      project: folder.path,
      isGitRepository: false,
      files: [
        { file: join(folder.path, ".saga/.gitignore"), action: "created" },
        { file: join(folder.path, ".saga/config.toml"), action: "created" },
      ],
    });
  });

  it("makes a project that lists and validates", async () => {
    const folder = newFolder();
    await folder.saga("init");
    expect((await folder.saga("list")).exitCode).toBe(0);
    expect((await folder.saga("validate")).exitCode).toBe(0);
  });

  it("is harmless when repeated", async () => {
    const folder = newFolder();
    await folder.saga("init");
    const before = snapshot(folder.path);
    const { exitCode, stdout } = await folder.saga("init");
    expect(exitCode).toBe(0);
    expect(stdout).toContain("exists   .saga/config.toml");
    expect(stdout).toContain("exists   .saga/.gitignore");
    expect(snapshot(folder.path)).toBe(before);
  });

  it("keeps the settings that are there", async () => {
    const folder = newFolder();
    folder.write(".saga/config.toml", "[size]\nmax_files = 9 # ours\n");
    await folder.saga("init");
    expect(folder.read(".saga/config.toml")).toBe("[size]\nmax_files = 9 # ours\n");
  });

  it("adds only the ignore rules that are missing, and keeps a person's own", async () => {
    const folder = newFolder();
    folder.write(".saga/.gitignore", "# ours\nnotes/\nruns/\n");
    const { stdout } = await folder.saga("init");
    expect(stdout).toContain("updated  .saga/.gitignore");
    const rules = folder.read(".saga/.gitignore").trimEnd().split("\n");
    expect(rules.slice(0, 3)).toEqual(["# ours", "notes/", "runs/"]);
    expect(rules.filter((rule) => rule === "runs/")).toHaveLength(1);
    expect(rules).toContain("worktrees/");
  });

  it("says that stories need a git repository where there is none", async () => {
    expect((await newFolder().saga("init")).stdout).toContain("Run `git init`");
  });

  it("does not speak of git init inside a repository", async () => {
    const folder = newFolder();
    git(folder, "init", "--quiet");
    const { stdout } = await folder.saga("init");
    expect(stdout).not.toContain("git init");
    expect((await folder.saga("init", "--json")).json()["isGitRepository"]).toBe(true);
  });

  it("sets up the top of the repository when it is started below it", async () => {
    const folder = newFolder();
    git(folder, "init", "--quiet");
    folder.write("src/deep/file.txt", "x");
    const { json } = await folder.saga("init", "-C", "src/deep", "--json");
    expect(json()["project"]).toBe(folder.path);
    expect(folder.read(".saga/config.toml")).toContain("[size]");
  });

  it("keeps live state out of git, and definitions in it", async () => {
    const folder = newFolder();
    git(folder, "init", "--quiet");
    await folder.saga("init");
    await folder.saga("new", "story", "add-login", "-d", "A page.");
    folder.write(".saga/worktrees/add-login/file.txt", "x");
    folder.write(".saga/runs/add-login/run.json", "x");
    folder.write(".saga/stories/add-login/.story.json.123.tmp", "x");
    expect(git(folder, "ls-files", "--others", "--exclude-standard").trim().split("\n")).toEqual([
      ".saga/.gitignore",
      ".saga/config.toml",
      ".saga/stories/add-login/story.json",
    ]);
  });

  it("works elsewhere with -C", async () => {
    const folder = newFolder();
    mkdirSync(join(folder.path, "other"));
    expect((await folder.saga("init", "-C", "other")).exitCode).toBe(0);
    expect(folder.read("other/.saga/config.toml")).toContain("[size]");
  });

  it("explains every setting, and every line it shows is valid once its # is removed", async () => {
    const folder = newFolder();
    await folder.saga("init");
    const config = folder.read(".saga/config.toml");
    folder.write(".saga/config.toml", config.replaceAll(/^# (?=\w+ = )/gm, ""));
    const { exitCode, stdout } = await folder.saga("validate");
    expect(stdout).toBe("No epics, stories or tasks yet.\n");
    expect(exitCode).toBe(0);
  });
});

describe("saga init does not go along with", () => {
  it("a word too many", async () => {
    const { text } = await misused(newFolder(), "init", "here");
    expect(text).toContain("saga init --help");
  });

  it("an option that it does not have", async () => {
    const { text } = await misused(newFolder(), "init", "--force");
    expect(text).toContain("--force");
  });

  it("a folder that does not exist", async () => {
    const { text } = await refused(newFolder(), "init", "-C", "no/such/folder");
    expect(text).toContain("no/such/folder");
  });

  it("a file in the place of the folder to work in", async () => {
    const folder = newFolder();
    folder.write("file.txt", "x");
    const { text } = await refused(folder, "init", "-C", "file.txt");
    expect(text).toContain("file.txt");
  });

  it("a file called .saga", async () => {
    const folder = newFolder();
    folder.write(".saga", "not a folder\n");
    const { text } = await refused(folder, "init");
    expect(text).toContain(join(folder.path, ".saga"));
  });

  it.each(["config.toml", ".gitignore"])("a folder in the place of %s", async (name) => {
    const folder = newFolder();
    mkdirSync(join(folder.path, ".saga", name), { recursive: true });
    const { text } = await refused(folder, "init");
    expect(text).toContain(join(".saga", name));
  });

  it("settings that are not valid: it names the line and writes nothing at all", async () => {
    const folder = newFolder();
    folder.write(".saga/config.toml", "[size]\nmax_flies = 3\n");
    const { code, text } = await refused(folder, "init");
    expect(code).toBe("bad-setting");
    expect(text).toContain(".saga/config.toml:2: error: `size.max_flies` is not a known field.");
  });

  it.each(["config.toml", ".gitignore"])("a %s that is a link out of .saga", async (name) => {
    const folder = newFolder();
    folder.write("outside/file", "# ours\n");
    folder.link(join(".saga", name), "../outside/file");
    const { text } = await refused(folder, "init");
    expect(text).toContain("leads out of .saga");
    expect(text).toContain(join(".saga", name));
  });
});

// Root may write anywhere.
describe.skipIf(process.getuid?.() === 0)("saga init where it may not write", () => {
  it("refuses, and names the folder", async () => {
    const folder = newFolder();
    chmodSync(folder.path, 0o555);
    onTestFinished(() => chmodSync(folder.path, 0o755));
    const { code, text } = await refused(folder, "init");
    expect(code).toBe("not-writable");
    expect(text).toContain(folder.path);
  });
});

describe("saga init in a folder with an odd name", () => {
  it.each(ODD_NAMES)("works with %s", async (_, name) => {
    const folder = newFolder(name);
    git(folder, "init", "--quiet");
    const result = await folder.saga("init", "--json");
    expect(result.exitCode).toBe(0);
    expect(result.json()["project"]).toBe(folder.path);
    const { stdout } = await folder.saga("init");
    expect(stdout).not.toContain("\u001b");
    expect(stdout.split("\n")[0]).toMatch(/^Saga is set up in .+\.$/);
    expect(git(folder, "status", "--porcelain", "--untracked-files=all")).not.toContain("pwned");
  });
});

describe("saga init --claude", () => {
  it("puts the plugin into the project's settings, and --no-claude takes it away", async () => {
    const folder = newFolder();
    const env = {
      PATH: process.env["PATH"],
      HOME: join(folder.path, ".."),
      ANTHROPIC_API_KEY: "nobody",
      ANTHROPIC_BASE_URL: "http://127.0.0.1:1",
    };
    const on = await folder.sagaWithEnv(env, "init", "--claude");
    expect(on).toMatchObject({ exitCode: 0, stderr: "" });
    expect(on.stdout).toContain("Commit that file");
    expect(folder.json(".claude/settings.json")).toEqual({
      enabledPlugins: { "saga@saga-run": true },
    });
    const off = await folder.sagaWithEnv(env, "init", "--no-claude", "--json");
    expect(off.json()["plugin"]).toMatchObject({ isInstalled: false });
    expect(existsSync(join(folder.path, ".claude"))).toBe(false);
  });

  it("says so where there is no Claude Code, with everything else set up", async () => {
    const folder = newFolder();
    folder.write(".saga/config.toml", '[claude]\npath = "/nowhere/claude"\n');
    const { exitCode, stderr } = await folder.saga("init", "--claude");
    expect(exitCode).toBe(1);
    expect(stderr).toContain("Claude Code is not installed.");
    expect(folder.read(".saga/.gitignore")).toContain("worktrees/");
  });
});
