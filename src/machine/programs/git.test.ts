import { once } from "node:events";
import { chmodSync, existsSync, realpathSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { newFolder } from "../../../test/support/project.ts";
import { addOrigin, newRepository, type TestRepository } from "../../../test/support/repository.ts";
import { answerOf, openGit } from "./git.ts";

/** A server that always asks for a password. */
async function startLockedServer(): Promise<string> {
  const server = createServer((_, response) => {
    response.writeHead(401, { "www-authenticate": 'Basic realm="private"' });
    response.end();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/shop.git`;
}

/** A program that creates a file when it starts, and then runs `then`. */
function putProgram(repository: TestRepository, file: string, then: string): string {
  const path = repository.write(file, `#!/bin/sh\ntouch ${repository.path}/was-run\n${then}\n`);
  chmodSync(path, 0o755);
  return path;
}
const wasRun = ({ path }: TestRepository): boolean => existsSync(join(path, "was-run"));

describe("git", () => {
  it("returns its output without the last line break", async () => {
    const { path, env } = newRepository();
    expect(await openGit(path, env).ask(["rev-parse", "--show-toplevel"])).toBe(path);
  });

  it("gets its input and arguments unchanged", async () => {
    const { path, env } = newRepository();
    const git = openGit(path, env);
    const input = "it's $(odd)\n\n";
    const object = await git.ask(["hash-object", "-w", "--stdin"], { input });
    expect(await git.ask(["cat-file", "blob", object])).toBe("it's $(odd)\n");
  });

  it("that fails is an error with its message from `ask`, and a value from `attempt`", async () => {
    const { path, env } = newRepository();
    const git = openGit(path, env);
    await expect(git.ask(["rev-parse", "--verify", "nothing"])).rejects.toMatchObject({
      code: "program-failed",
      message: expect.stringMatching(/^git rev-parse failed in .+: fatal: .+/) as string,
    });
    expect(await git.attempt(["rev-parse", "--verify", "--quiet", "nothing"])).toEqual({
      isOk: false,
      exitCode: 1,
      stdout: "",
      stderr: "",
    });
  });

  it("works in another folder on request", async () => {
    const { path, env } = newRepository();
    const inside = openGit(path, env).at(join(path, "src"));
    expect(inside.folder).toBe(join(path, "src"));
    expect(await inside.ask(["rev-parse", "--show-prefix"])).toBe("src/");
  });

  it("that is not installed, or has no folder, has a hint", async () => {
    const { path } = newFolder();
    const expected = { code: "program-failed", hint: expect.stringContaining("doctor") as string };
    await expect(openGit(path, { PATH: path }).ask(["version"])).rejects.toMatchObject(expected);
    const nowhere = openGit(join(path, "none"), { PATH: process.env["PATH"] });
    await expect(nowhere.attempt(["version"])).rejects.toMatchObject({
      code: "program-failed",
      message: `The folder ${join(path, "none")} does not exist.`,
    });
  });

  it("that does not answer in time fails", async () => {
    const repository = newRepository();
    repository.git("config", "alias.never", "!exec sleep 1000");
    const git = openGit(repository.path, repository.env);
    expect(await git.attempt(["never"], { timeoutMs: 200 })).toEqual({
      isOk: false,
      stdout: "",
      stderr: "no answer within 0.2 s",
      isUnanswered: true,
    });
  });

  it("that is killed is not a no", async () => {
    const repository = newRepository();
    repository.git("config", "alias.killed", "!kill -KILL $PPID");
    repository.git("config", "alias.no", "!exit 1");
    const git = openGit(repository.path, repository.env);
    expect(await answerOf(git, ["no"])).toMatchObject({ isOk: false });
    await expect(answerOf(git, ["killed"])).rejects.toMatchObject({
      code: "program-failed",
      message: expect.stringContaining("killed by SIGKILL") as string,
    });
  });

  it("prints English, because some messages are parsed", async () => {
    const { path, env } = newRepository();
    const git = openGit(path, { ...env, LANG: "de_DE.UTF-8", LC_ALL: "de_DE.UTF-8" });
    const { stderr } = await git.attempt(["checkout", "nothing"]);
    expect(stderr).toContain("did not match any file");
  });
});

describe("a remote that asks for a password", () => {
  it.each([
    ["by a program of the settings", (askpass: string) => ({ setting: askpass, env: {} })],
    [
      "by a program from the environment",
      (askpass: string) => ({
        setting: "",
        env: { GIT_ASKPASS: askpass, SSH_ASKPASS: askpass, DISPLAY: ":0" },
      }),
    ],
  ])("fails at once, without a prompt %s", async (_, ask) => {
    const repository = newRepository();
    const url = await startLockedServer();
    const { setting, env } = ask(putProgram(repository, "askpass", "exec sleep 1000"));
    if (setting !== "") repository.git("config", "core.askPass", setting);
    const git = openGit(repository.path, { ...repository.env, ...env });
    const { isOk, stderr } = await git.attempt(["ls-remote", url], { timeoutMs: 30_000 });
    expect(isOk).toBe(false);
    expect(stderr).toMatch(/Authentication failed/);
    expect(wasRun(repository)).toBe(false);
  });
});

describe("programs that a repository names", () => {
  const hooks = [
    "pre-commit",
    "commit-msg",
    "post-commit",
    "post-checkout",
    "reference-transaction",
  ];

  it.each([
    ["its own folder", ".git/hooks"],
    ["a folder that the repository names", "my-hooks"],
  ])("do not run: hooks in %s", async (_, folder) => {
    const repository = newRepository();
    for (const hook of hooks) putProgram(repository, `${folder}/${hook}`, "exit 1");
    if (folder !== ".git/hooks") {
      repository.git("config", "core.hooksPath", join(repository.path, folder));
    }
    const git = openGit(repository.path, repository.env);
    await git.ask(["commit", "--allow-empty", "--message=second"]);
    await git.ask(["checkout", "--quiet", "-b", "other"]);
    expect(wasRun(repository)).toBe(false);
  });

  it("do not run: a file system monitor, an editor, a pager, a signer", async () => {
    const repository = newRepository();
    const program = putProgram(repository, "program", "cat > /dev/null; exit 1");
    repository.git("config", "core.fsmonitor", program);
    repository.git("config", "core.editor", program);
    repository.git("config", "core.pager", program);
    repository.git("config", "commit.gpgSign", "true");
    repository.git("config", "gpg.program", program);
    const git = openGit(repository.path, repository.env);
    await git.ask(["status"]);
    await git.ask(["log"]);
    await git.ask(["commit", "--allow-empty", "--message=second"]);
    await git.ask(["commit", "--amend", "--allow-empty"]);
    expect(wasRun(repository)).toBe(false);
  });

  it("run as hooks of a push, which Git LFS needs", async () => {
    const repository = newRepository();
    addOrigin(repository);
    putProgram(repository, ".git/hooks/pre-push", "exit 0");
    const git = openGit(repository.path, repository.env);
    await git.ask(["push", "--quiet", "origin", "HEAD:without"]);
    expect(wasRun(repository)).toBe(false);
    await git.ask(["push", "--quiet", "origin", "HEAD:with"], { withHooks: true });
    expect(wasRun(repository)).toBe(true);
  });
});

describe("the caller's environment", () => {
  it("does not choose the repository", async () => {
    const mine = newRepository();
    const other = newRepository();
    const git = openGit(mine.path, {
      ...mine.env,
      GIT_DIR: join(other.path, ".git"),
      GIT_WORK_TREE: other.path,
      GIT_INDEX_FILE: join(other.path, ".git/index"),
      GIT_OBJECT_DIRECTORY: join(other.path, ".git/objects"),
      GIT_CONFIG_COUNT: "1",
      GIT_CONFIG_KEY_0: "core.worktree",
      GIT_CONFIG_VALUE_0: other.path,
    });
    expect(realpathSync(await git.ask(["rev-parse", "--show-toplevel"]))).toBe(mine.path);
    await git.ask(["commit", "--allow-empty", "--message=second"]);
    expect(mine.git("log", "--format=%s")).toBe("second\nfirst");
    expect(other.git("log", "--format=%s")).toBe("first");
  });

  it("gets the variables of one call for that call only", async () => {
    const { path, env } = newRepository();
    const git = openGit(path, env);
    const index = { GIT_INDEX_FILE: join(path, ".git", "another") };
    expect(await git.ask(["ls-files"], { env: index })).toBe("");
    expect(await git.ask(["ls-files", "src"])).toBe("src/main.ts");
  });

  it("does not pass on its secrets", async () => {
    const repository = newRepository();
    repository.git("config", "alias.around", "!env");
    const env = { ...repository.env, GH_TOKEN: "secret", ANTHROPIC_API_KEY: "secret" };
    const printed = await openGit(repository.path, env).ask(["around"]);
    expect(printed).toContain("GIT_TERMINAL_PROMPT=0");
    expect(printed).not.toContain("secret");
  });
});
