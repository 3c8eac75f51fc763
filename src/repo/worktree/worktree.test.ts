import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { ODD_NAMES } from "../../../test/support/project.ts";
import {
  addOrigin,
  leaveChanges,
  newRepository,
  placeIn,
  prepare,
  STORY,
  storyIn,
} from "../../../test/support/repository.ts";

import { openGit } from "../../machine/programs/git.ts";
import { commitRest } from "../commits/commits.ts";

const BRANCH = `story/${STORY}`;

describe("a story that was never worked on", () => {
  it("gets a branch from the base and a worktree, with the uncommitted story", async () => {
    const test = newRepository();
    const tree = await prepare(test);
    expect(tree).toMatchObject({
      folder: placeIn(test),
      branch: BRANCH,
      isNew: true,
      warnings: [],
    });
    expect(test.git("rev-parse", BRANCH)).toBe(test.git("rev-parse", "main"));
    expect(test.gitIn(tree.folder, "symbolic-ref", "HEAD")).toBe(`refs/heads/${BRANCH}`);
    expect(readFileSync(join(tree.folder, "read me.txt"), "utf8")).toBe("hello\n");
    expect(existsSync(join(storyIn(tree.folder), "form.json"))).toBe(true);
    expect(test.gitIn(tree.folder, "status", "--porcelain")).toBe("?? .saga/stories/");
    expect(test.git("status", "--porcelain")).toBe("?? .saga/stories/");
    expect((await prepare(test)).isNew).toBe(false);
  });

  it("gets its latest edits, and a deleted task stays deleted", async () => {
    const test = newRepository();
    test.write(`.saga/stories/${STORY}/gone.json`, "{}");
    test.git("add", "--all");
    test.git("commit", "--quiet", "--message=story");
    rmSync(join(storyIn(test.path), "gone.json"));
    test.write(`.saga/stories/${STORY}/form.json`, "edited\n");
    const { folder } = await prepare(test);
    expect(readFileSync(join(storyIn(folder), "form.json"), "utf8")).toBe("edited\n");
    const status = test.gitIn(folder, "status", "--porcelain").split("\n");
    expect(status.map((line) => line.trim())).toEqual([
      `M .saga/stories/${STORY}/form.json`,
      `D .saga/stories/${STORY}/gone.json`,
    ]);
  });

  it("has the same files as an ordinary checkout", async () => {
    const test = newRepository();
    test.write(".gitattributes", "*.bat text eol=crlf\n*.shout filter=shout\n");
    test.git("config", "filter.shout.smudge", "tr a-z A-Z");
    test.git("config", "filter.shout.clean", "tr A-Z a-z");
    test.write("run.bat", "one\r\ntwo\r\n");
    test.write("a.shout", "HELLO\n");
    test.write(`odd "name"\n\twith ü`, "odd\n");
    test.write("-dash", "dash\n");
    test.write("bin/run", "#!/bin/sh\n");
    chmodSync(join(test.path, "bin/run"), 0o755);
    test.link("link", "bin/run");
    test.git("add", "--all");
    test.git("commit", "--quiet", "--message=files");
    const { folder } = await prepare(test);
    const ordinary = join(dirname(test.path), "ordinary");
    test.git("worktree", "add", "--quiet", "--detach", ordinary);
    for (const name of ["run.bat", "a.shout", `odd "name"\n\twith ü`, "-dash", "bin/run"]) {
      const [one, other] = [join(folder, name), join(ordinary, name)];
      expect(readFileSync(one, "utf8"), name).toBe(readFileSync(other, "utf8"));
      expect(statSync(one).mode, name).toBe(statSync(other).mode);
    }
    expect(readFileSync(join(folder, "a.shout"), "utf8")).toBe("HELLO\n");
    expect(readlinkSync(join(folder, "link"))).toBe("bin/run");
    expect(test.gitIn(folder, "status", "--porcelain")).toBe("");
  });

  it.each(ODD_NAMES)("lives in a project with %s in its name", async (_, name) => {
    const test = newRepository(name);
    const { folder } = await prepare(test);
    expect(await prepare(test)).toMatchObject({ folder, isNew: false });
    expect(test.gitIn(folder, "rev-parse", "--abbrev-ref", "HEAD")).toBe(BRANCH);
  });

  it("is created in an existing empty folder", async () => {
    const test = newRepository();
    mkdirSync(placeIn(test), { recursive: true });
    expect((await prepare(test)).isNew).toBe(true);
  });

  it("leaves submodules alone", async () => {
    const test = newRepository();
    const library = newRepository("library");
    test.git("submodule", "add", "--quiet", library.path, "library");
    test.git("commit", "--quiet", "--message=library");
    const { folder } = await prepare(test);
    expect(lstatSync(join(folder, "library")).isDirectory()).toBe(true);
    expect(existsSync(join(folder, "library/.git"))).toBe(false);
    test.gitIn(folder, "add", "--all");
    expect(test.gitIn(folder, "diff", "--cached", "--name-only", "HEAD", "--", "library")).toBe("");
  });

  it("has only the folders of the project's sparse checkout", async () => {
    const test = newRepository();
    test.write("docs/page.md", "page\n");
    test.git("add", "--all");
    test.git("commit", "--quiet", "--message=docs");
    test.git("sparse-checkout", "set", "src");
    const { folder } = await prepare(test);
    expect(existsSync(join(folder, "docs"))).toBe(false);
    expect(existsSync(join(folder, "src/main.ts"))).toBe(true);
    expect(test.gitIn(folder, "status", "--porcelain")).toBe("");
    mkdirSync(join(folder, "docs"));
    writeFileSync(join(folder, "docs/other.md"), "other\n");
    const git = openGit(folder, test.env);
    await commitRest({ git, storyId: STORY, exclude: [], isDone: true });
    expect(test.gitIn(folder, "show", "--format=", "--name-status", "HEAD")).toBe(
      "A\tdocs/other.md",
    );
  });

  it("has no half-written file after git was killed while writing one", async () => {
    const test = newRepository();
    const { folder, gitDir } = await prepare(test);
    writeFileSync(join(gitDir, "saga-unfinished"), "from the project\n");
    writeFileSync(join(folder, "read me.txt"), "hel");
    const { warnings } = await prepare(test);
    expect(readFileSync(join(folder, "read me.txt"), "utf8")).toBe("hello\n");
    expect(warnings).toHaveLength(1);
    expect(test.git("show", `refs/saga/keep/${STORY}/1:read me.txt`)).toBe("hel");
  });

  it.each([
    ["before it had a HEAD", ["HEAD", "commondir", "gitdir"]],
    ["before it was a whole git folder", ["commondir"]],
    ["before it removed its lock", []],
  ])("is made again when git was killed over it: %s", async (_, missing) => {
    const test = newRepository();
    test.git("worktree", "add", "--quiet", "--no-checkout", "-b", BRANCH, placeIn(test));
    const gitDir = join(test.path, ".git/worktrees", STORY);
    writeFileSync(join(gitDir, "locked"), "initializing");
    for (const name of missing) rmSync(join(gitDir, name));
    const { folder } = await prepare(test);
    expect(test.gitIn(folder, "status", "--porcelain")).toBe("?? .saga/stories/");
  });
});

describe("a story with a branch and no worktree", () => {
  it("continues from its branch, with the story committed there", async () => {
    const test = newRepository();
    const { folder } = await prepare(test);
    writeFileSync(join(storyIn(folder), "form.json"), "done\n");
    test.gitIn(folder, "add", "--all");
    test.gitIn(folder, "commit", "--quiet", "--message=work");
    test.git("worktree", "remove", folder);
    expect((await prepare(test)).isNew).toBe(true);
    expect(readFileSync(join(storyIn(folder), "form.json"), "utf8")).toBe("done\n");
    expect(test.gitIn(folder, "status", "--porcelain")).toBe("");
  });

  it("gets the story from the project when the branch never had it", async () => {
    const test = newRepository();
    test.git("switch", "--quiet", "--create", BRANCH);
    test.git("commit", "--quiet", "--allow-empty", "--message=by hand");
    test.git("switch", "--quiet", "main");
    const { folder } = await prepare(test);
    expect(existsSync(join(storyIn(folder), "story.json"))).toBe(true);
  });

  it("is moved forward to its remote branch", async () => {
    const test = newRepository();
    addOrigin(test);
    const ahead = test.git("commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", "pushed elsewhere");
    test.git("branch", BRANCH, "main");
    test.git("update-ref", `refs/remotes/origin/${BRANCH}`, ahead);
    const { warnings } = await prepare(test);
    expect(test.git("rev-parse", BRANCH)).toBe(ahead);
    expect(warnings).toEqual([]);
  });

  it("is created from the remote branch when only that exists", async () => {
    const test = newRepository();
    addOrigin(test);
    const ahead = test.git("commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", "pushed elsewhere");
    test.git("update-ref", `refs/remotes/origin/${BRANCH}`, ahead);
    await prepare(test);
    expect(test.git("rev-parse", BRANCH)).toBe(ahead);
  });

  it("stays at the local branch when the remote has diverged, with a warning", async () => {
    const test = newRepository();
    addOrigin(test);
    const commit = (message: string): string =>
      test.git("commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", message);
    const here = commit("here");
    test.git("branch", BRANCH, here);
    test.git("update-ref", `refs/remotes/origin/${BRANCH}`, commit("there"));
    const { warnings } = await prepare(test);
    expect(test.git("rev-parse", BRANCH)).toBe(here);
    expect(warnings.join()).toContain("have diverged");
  });
});

describe("an existing worktree", () => {
  it("is used as it is, with everything uncommitted in it", async () => {
    const test = newRepository();
    const { folder } = await prepare(test);
    leaveChanges(test, folder);
    rmSync(join(folder, "src/main.ts"));
    const before = test.gitIn(folder, "status", "--porcelain");
    expect(await prepare(test)).toMatchObject({ folder, isNew: false });
    expect(test.gitIn(folder, "status", "--porcelain")).toBe(before);
    expect(readFileSync(join(folder, "read me.txt"), "utf8")).toBe("changed\n");
  });

  it.each([`stories/${STORY}`, "add/login"])("is used at the older path %s", async (place) => {
    const test = newRepository();
    const storyId = place === "add/login" ? "add--login" : STORY;
    const folder = join(test.path, ".saga/worktrees", place);
    test.git("worktree", "add", "--quiet", "-b", `story/${storyId}`, folder);
    const tree = await prepare(test, { storyId });
    expect(tree).toMatchObject({ folder, isNew: false });
  });

  it("is used as it is when the remote branch has more commits, with a warning", async () => {
    const test = newRepository();
    addOrigin(test);
    await prepare(test);
    const ahead = test.git("commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", "pushed elsewhere");
    test.git("update-ref", `refs/remotes/origin/${BRANCH}`, ahead);
    const { warnings } = await prepare(test);
    expect(warnings.join()).toContain("has commits that the worktree lacks");
    expect(test.git("rev-parse", BRANCH)).toBe(test.git("rev-parse", "main"));
  });
});
