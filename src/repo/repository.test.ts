import { once } from "node:events";
import { mkdirSync, rmSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { newFolder } from "../../test/support/project.ts";
import {
  addOrigin,
  atFolder,
  newRepository,
  prepare,
  STORY,
  type TestRepository,
} from "../../test/support/repository.ts";
import { fetchAndFindBase, findBase, findRepository, reasonIn } from "./repository.ts";

const baseOf = async (test: TestRepository, setting?: string) =>
  findBase(await test.open(), setting);
const fetched = async (test: TestRepository, setting?: string) =>
  fetchAndFindBase(await test.open(), { setting, storyId: STORY });

/** A second person's clone, which pushes. */
function push(test: TestRepository, branch: string, message: string): string {
  const commit = test.git("commit-tree", "main^{tree}", "-p", "main", "-m", message);
  test.git("push", "--quiet", "origin", `${commit}:refs/heads/${branch}`);
  test.git("update-ref", "-d", `refs/remotes/origin/${branch}`);
  return commit;
}

describe("a repository", () => {
  it("is found with its remote", async () => {
    const test = newRepository();
    expect(await test.open()).toMatchObject({
      project: test.path,
      commonDir: join(test.path, ".git"),
      remote: undefined,
    });
    test.git("remote", "add", "upstream", "https://example.org/a.git");
    expect((await test.open()).remote).toEqual({
      name: "upstream",
      url: "https://example.org/a.git",
    });
    test.git("remote", "add", "fork", "https://example.org/b.git");
    expect((await test.open()).remote).toBeUndefined();
    test.git("remote", "add", "origin", "https://example.org/c.git");
    expect((await test.open()).remote?.name).toBe("origin");
  });

  it("is required", async () => {
    const test = atFolder(newFolder());
    await expect(test.open()).rejects.toThrow("is not in a git repository");
  });

  it("is refused before its first commit", async () => {
    const test = atFolder(newFolder());
    test.git("init", "--quiet");
    await expect(test.open()).rejects.toMatchObject({
      message: expect.stringContaining("no commit yet") as string,
      hint: expect.stringContaining("Make a first commit") as string,
    });
  });

  it("is refused when it is bare", async () => {
    const test = atFolder(newFolder());
    test.git("init", "--quiet", "--bare");
    await expect(test.open()).rejects.toThrow("is bare");
  });

  it("is refused in a subfolder of a repository", async () => {
    const test = newRepository();
    mkdirSync(join(test.path, "part"));
    await expect(findRepository(join(test.path, "part"), test.env)).rejects.toThrow(
      "not the top folder",
    );
  });
});

describe("the base of stories", () => {
  it("is the setting first of all", async () => {
    const test = newRepository();
    addOrigin(test);
    test.git("branch", "develop");
    expect(await baseOf(test, "develop")).toMatchObject({
      branch: "develop",
      target: "develop",
      ref: "refs/heads/develop",
      commit: test.git("rev-parse", "main"),
    });
  });

  it.each(["no-such", "a..b", "-x y", "refs:heads"])(
    "is refused when it is %s",
    async (setting) => {
      const test = newRepository();
      await expect(baseOf(test, setting)).rejects.toMatchObject({
        hint: expect.stringContaining("`base` under `[git]`") as string,
      });
    },
  );

  it("may be written as git shows it", async () => {
    const test = newRepository();
    addOrigin(test);
    expect((await baseOf(test, "origin/main")).branch).toBe("main");
  });

  it("is the remote's default, whatever its name and whatever is checked out", async () => {
    const test = newRepository();
    addOrigin(test, "trunk");
    test.git("switch", "--quiet", "--create", "mine");
    expect((await baseOf(test)).branch).toBe("trunk");
    test.git("remote", "set-head", "origin", "trunk");
    expect((await baseOf(test)).branch).toBe("trunk");
  });

  it("is what the remote says when the known default is gone", async () => {
    const test = newRepository();
    addOrigin(test, "trunk");
    test.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/master");
    expect((await baseOf(test)).branch).toBe("trunk");
  });

  it("is not waited for longer than until a stop, if the remote hangs", async () => {
    const silent = createServer().listen(0, "127.0.0.1");
    await once(silent, "listening");
    onTestFinished(() => void silent.close());
    const test = newRepository();
    const { port } = silent.address() as AddressInfo;
    test.git("remote", "add", "origin", `git://127.0.0.1:${port}/remote.git`);
    const stop = new AbortController();
    // Git has asked, and gets no answer.
    silent.once("connection", (socket) => {
      socket.once("close", () => socket.destroy());
      stop.abort();
    });
    const base = await findBase(await test.open(), undefined, stop.signal);
    expect([base.branch, stop.signal.aborted]).toEqual(["main", true]);
  });
  it("is the checked-out branch without a remote", async () => {
    const test = newRepository();
    test.git("switch", "--quiet", "--create", "mine");
    expect((await baseOf(test)).branch).toBe("mine");
  });

  it.each(["story/other", "epic/all"])("is never %s but the usual branch", async (branch) => {
    const test = newRepository();
    test.git("switch", "--quiet", "--create", branch);
    expect((await baseOf(test)).branch).toBe("main");
    test.git("branch", "--move", "main", "master");
    expect((await baseOf(test)).branch).toBe("master");
    test.git("branch", "--move", "master", "unusual");
    await expect(baseOf(test)).rejects.toThrow("cannot tell which branch");
  });

  it("is the one of the two copies that contains the other", async () => {
    const test = newRepository();
    addOrigin(test);
    const theirs = test.git("commit-tree", "main^{tree}", "-p", "main", "-m", "theirs");
    test.git("update-ref", "refs/remotes/origin/main", theirs);
    expect(await baseOf(test)).toMatchObject({ commit: theirs, warnings: [] });
    test.git("merge", "--quiet", theirs);
    test.git("commit", "--quiet", "--allow-empty", "--message=mine");
    expect(await baseOf(test)).toMatchObject({ commit: test.git("rev-parse", "main") });
  });

  it("is the remote's when the two have diverged, with a warning", async () => {
    const test = newRepository();
    addOrigin(test);
    const theirs = test.git("commit-tree", "main^{tree}", "-p", "main", "-m", "theirs");
    test.git("update-ref", "refs/remotes/origin/main", theirs);
    test.git("commit", "--quiet", "--allow-empty", "--message=mine");
    const base = await baseOf(test);
    expect(base.commit).toBe(theirs);
    expect(base.warnings.join()).toContain("have diverged");
  });
});

describe("what is new at the remote", () => {
  it("is fetched for the base and the story's branch, and none of the user's branches moves", async () => {
    const test = newRepository();
    addOrigin(test);
    const main = test.git("rev-parse", "main");
    const base = push(test, "main", "new base");
    const story = push(test, `story/${STORY}`, "pushed");
    expect(await fetched(test)).toMatchObject({ commit: base, warnings: [] });
    expect(test.git("rev-parse", `refs/remotes/origin/story/${STORY}`)).toBe(story);
    expect(test.git("rev-parse", "main")).toBe(main);
  });

  it("is not required: offline there is a warning", async () => {
    const test = newRepository();
    const origin = addOrigin(test);
    rmSync(origin, { recursive: true });
    const base = await fetched(test);
    expect(base.commit).toBe(test.git("rev-parse", "main"));
    // Git's last line is the same for every remote that fails.
    expect(base.warnings.join()).toMatch(/could not be fetched .*does not appear to be a git repo/);
    expect(base.warnings.join()).not.toContain("and the repository exists");
  });

  it("may lack the base; then the local branch is used", async () => {
    const test = newRepository();
    addOrigin(test);
    test.git("branch", "only-here");
    push(test, `story/${STORY}`, "pushed");
    const base = await fetched(test, "only-here");
    expect(base.warnings).toEqual(["origin has no branch only-here; the local one is used."]);
    expect(test.git("rev-parse", `refs/remotes/origin/story/${STORY}`)).not.toBe("");
  });

  it("is fetched by many at once", async () => {
    const test = newRepository();
    addOrigin(test);
    const commit = push(test, "main", "new base");
    const bases = await Promise.all(Array.from({ length: 8 }, () => fetched(test)));
    expect(bases.map((base) => base.commit)).toEqual(Array.from({ length: 8 }, () => commit));
  });
});

describe("a shallow clone", () => {
  it("starts stories, follows its remote and loses nothing", async () => {
    const full = newRepository();
    full.git("commit", "--quiet", "--allow-empty", "--message=second");
    const origin = addOrigin(full);
    const path = join(dirname(full.path), "shallow");
    full.git("clone", "--quiet", "--depth=1", `file://${origin}`, path);
    const test = atFolder(full, path);
    test.write(`.saga/stories/${STORY}/story.json`, { id: STORY });
    const before = test.git("rev-parse", "HEAD");
    full.git("commit", "--quiet", "--allow-empty", "--message=third");
    full.git("push", "--quiet", "origin", "main");
    expect((await fetched(test)).commit).toBe(full.git("rev-parse", "main"));
    const { folder } = await prepare(test);
    expect(test.gitIn(folder, "log", "-1", "--format=%s")).toBe("third");
    expect(test.git("rev-parse", "main")).toBe(before);
  });

  it("uses the remote's base when it cannot compare the two", async () => {
    const full = newRepository();
    const origin = addOrigin(full);
    const path = join(dirname(full.path), "shallow");
    full.git("clone", "--quiet", "--depth=1", `file://${origin}`, path);
    const test = atFolder(full, path);
    for (const message of ["second", "third"]) {
      full.git("commit", "--quiet", "--allow-empty", `--message=${message}`);
    }
    full.git("push", "--quiet", "origin", "main");
    test.git("fetch", "--quiet", "--depth=1", "origin");
    const base = await baseOf(test);
    expect(base.commit).toBe(full.git("rev-parse", "main"));
    expect(base.warnings).toHaveLength(1);
  });
});

it.each([
  [
    "git@x: Permission denied (publickey).\nfatal: Could not read from remote repository.\n\nPlease make sure you have the correct access rights\nand the repository exists.\n",
    "git@x: Permission denied (publickey).",
  ],
  [
    "fatal: Could not read from remote repository.\n",
    "fatal: Could not read from remote repository.",
  ],
  [
    "remote: No.        \nTo /a/remote.git\n ! [remote rejected] x -> y\n",
    "remote: No.; ! [remote rejected] x -> y",
  ],
])("says of a remote that failed only what tells something: %j", (stderr, reason) => {
  expect(reasonIn(stderr)).toBe(reason);
});
