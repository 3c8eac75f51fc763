import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  anEpic,
  aStory,
  aTask,
  newFolder,
  newProject,
  type Project,
  snapshot,
} from "../../../../test/support/project.ts";
import { misused, refused, wholeDisk } from "../../../../test/support/refused.ts";
import { newWorktree } from "../../../../test/support/worktree.ts";
import { openStore } from "../../../store/file-store.ts";
import { IGNORED } from "../../../store/project/layout.ts";

const GIT_ENV = {
  PATH: process.env["PATH"],
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_AUTHOR_NAME: "Ada",
  GIT_AUTHOR_EMAIL: "ada@example.com",
  GIT_COMMITTER_NAME: "Ada",
  GIT_COMMITTER_EMAIL: "ada@example.com",
};

function withFinished(...ids: string[]): Project {
  const project = newProject();
  for (const id of ids) {
    project.write(`.saga/stories/${id}/story.json`, aStory(id, { status: "completed" }));
    project.write(`.saga/stories/${id}/t.json`, aTask("t", { status: "completed" }));
    project.write(`.saga/stories/${id}/journal.md`, "# Journal\n");
    project.write(`.saga/stories/${id}/notes.txt`, "ours\n");
  }
  return project;
}

const isThere = (project: Project, file: string): boolean => existsSync(join(project.path, file));

describe("saga archive", () => {
  it("moves a finished story unchanged, and says where", async () => {
    const project = withFinished("s");
    const text = project.read(".saga/stories/s/story.json");
    const { exitCode, stdout, stderr } = await project.saga("archive", "s");
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout).toBe(`s: moved to ${join(project.path, ".saga/archive/s")}\n`);
    expect(isThere(project, ".saga/stories/s")).toBe(false);
    expect(project.read(".saga/archive/s/story.json")).toBe(text);
    for (const file of ["t.json", "journal.md", "notes.txt"]) {
      expect(isThere(project, `.saga/archive/s/${file}`)).toBe(true);
    }
  });

  it("moves several", async () => {
    const project = withFinished("one", "two");
    const { exitCode, stdout } = await project.saga("archive", "one", "two");
    expect(exitCode).toBe(0);
    expect(stdout.split("\n")).toHaveLength(3);
    expect(isThere(project, ".saga/archive/two/story.json")).toBe(true);
  });

  it("shows the new place of each in JSON", async () => {
    const project = withFinished("s");
    const folder = join(project.path, ".saga/archive/s");
    const first = await project.saga("archive", "s", "--json");
    expect(first.json()).toEqual({ archived: [{ id: "s", folder, wasThere: false }] });
    const again = await project.saga("archive", "s", "--json");
    expect(again.json()).toEqual({ archived: [{ id: "s", folder, wasThere: true }] });
  });

  it("can be repeated", async () => {
    const project = withFinished("s");
    await project.saga("archive", "s");
    const before = snapshot(project.path);
    const { exitCode, stdout } = await project.saga("archive", "s", "s");
    expect(exitCode).toBe(0);
    expect(stdout).toBe("s is already in the archive.\ns is already in the archive.\n");
    expect(snapshot(project.path)).toBe(before);
  });

  it("leaves the story completed for those that wait for it, and the project valid", async () => {
    const project = withFinished("first");
    project.write(".saga/stories/second/story.json", aStory("second"));
    project.write(".saga/stories/second/t.json", aTask("t"));
    const children = [{ id: "first" }, { id: "second", blockedBy: ["first"] }];
    project.write(".saga/epics/e/epic.json", anEpic("e", children));
    await project.saga("archive", "first");
    expect((await project.saga("list")).stdout).toContain("second  ready");
    expect((await project.saga("validate")).exitCode).toBe(0);
  });
});

describe("in a repository that tracks .saga", () => {
  async function tracked(...ids: string[]): Promise<{ project: Project; git: Git }> {
    const project = withFinished(...ids);
    const git = (...words: string[]): string =>
      execFileSync("git", words, { cwd: project.path, encoding: "utf8", env: GIT_ENV }).trim();
    project.write(".saga/.gitignore", `${IGNORED.join("\n")}\n`);
    git("init", "--quiet", "--initial-branch=main");
    git("add", "--all");
    git("commit", "--quiet", "--message=First");
    return { project, git };
  }
  type Git = (...words: string[]) => string;

  it("commits the move alone, and leaves what a person has staged or changed", async () => {
    const { project, git } = await tracked("one", "two");
    project.write("staged.txt", "staged\n");
    git("add", "staged.txt");
    const { exitCode, stdout } = await project.saga("archive", "one");
    expect(exitCode, stdout).toBe(0);
    const commit = git("rev-parse", "HEAD");
    expect(stdout).toContain(`Committed as ${commit.slice(0, 12)}.`);
    expect(git("log", "-1", "--format=%B")).toBe("Archive story one\n\nSaga-Story: one");
    expect(git("status", "--short")).toBe("A  staged.txt");
    expect(git("ls-files", ".saga/archive").split("\n")).toHaveLength(4);
  });

  it("commits what a call that was killed has moved", async () => {
    const { project, git } = await tracked("one");
    await openStore(project.path).archive(["one"]);
    expect((await project.saga("archive", "one")).stdout).toContain("Committed as");
    expect(git("status", "--short")).toBe("");
  });

  it("says what to commit where it cannot", async () => {
    const { project, git } = await tracked("one");
    git("checkout", "--quiet", "--detach");
    const { exitCode, stdout } = await project.saga("archive", "one");
    expect(exitCode).toBe(0);
    expect(stdout).toContain("Not committed: no branch is checked out.");
    git("switch", "--quiet", "main");
    for (const [line = ""] of stdout.matchAll(/^ {2}git .+$/gm)) {
      execFileSync("sh", ["-c", line], { cwd: project.path, env: GIT_ENV });
    }
    expect(git("status", "--short")).toBe("");
  });

  it("moves the finished stories of an epic, or all of them, and any of them back", async () => {
    const { project, git } = await tracked("e--one", "two");
    project.write(".saga/stories/e--open/story.json", aStory("e--open"));
    project.write(".saga/epics/e/epic.json", anEpic("e", [{ id: "e--one" }, { id: "e--open" }]));
    git("add", "--all");
    git("commit", "--quiet", "--message=More");
    const some = await project.saga("archive", "--epic", "e");
    expect(some.stdout, some.stderr).toContain("e--one: moved to");
    expect(some.stdout).toContain("e--open was not archived: it is not finished");
    expect((await project.saga("list")).stdout).toContain("1/2 stories, 1 archived");
    expect(isThere(project, ".saga/stories/two")).toBe(true);
    expect((await project.saga("archive", "--all")).stdout).toContain("two: moved to");
    const back = await project.saga("unarchive", "e--one");
    expect(back.stdout).toContain(`e--one: moved to ${join(project.path, ".saga/stories/e--one")}`);
    expect(git("log", "-1", "--format=%s")).toBe("Unarchive story e--one");
    expect(git("status", "--short")).toBe("");
    expect((await project.saga("unarchive", "e--one")).stdout).toContain("is not in the archive");
    expect(git("diff", "--name-only", "HEAD~3", "--", ".saga/stories/e--one")).toBe("");
  });
});

describe("saga archive refuses", () => {
  it("a story that is not completed, and names the command that shows more", async () => {
    const project = newProject();
    project.write(".saga/stories/s/story.json", aStory("s"));
    const { code, text } = await refused(project, "archive", "s");
    expect(code).toBe("not-ready");
    expect(text).toContain("The story s is not completed.");
    expect(text).toContain("saga show s");
  });

  it("a merged story whose files in this checkout are older, and says how to update them", async () => {
    const project = newProject();
    project.write(".saga/stories/s/story.json", aStory("s"));
    project.write(".git/refs/saga/merged/s", `${"1".repeat(40)}\n`);
    const run = { endedAt: new Date().toISOString(), outcome: "merged" } as const;
    (await openStore(project.path).startRun("s", run)).close();
    const { text } = await refused(project, "archive", "s");
    expect(text).toContain("s is merged, but its files here are older.");
    expect(text).toContain("saga merge s --update-checkout");
  });

  it("a completed story with open tasks", async () => {
    const project = withFinished("s");
    project.write(".saga/stories/s/u.json", aTask("u"));
    const { text } = await refused(project, "archive", "s");
    expect(text).toContain("s");
  });

  it.each([
    ["not completed", aStory("bad"), "not completed"],
    ["broken", "{", "bad/story.json"],
    ["not there", undefined, "There is no story bad."],
  ])("all of them when one is %s", async (_, bad, sentence) => {
    const project = withFinished("good");
    if (bad !== undefined) project.write(".saga/stories/bad/story.json", bad);
    const { text } = await refused(project, "archive", "good", "bad");
    expect(text).toContain(sentence);
    expect(isThere(project, ".saga/stories/good/story.json")).toBe(true);
  });

  it.each(["s", "stories/s"])("a story that still has a worktree: %s", async (place) => {
    const project = withFinished("s");
    newWorktree(project, place, aStory("s", { status: "completed" }));
    const { code, text } = await refused(project, "archive", "s");
    expect(code).toBe("in-use");
    expect(text).toContain("The story s still has a worktree.");
  });

  it("a story of an epic with two levels that still has an older worktree", async () => {
    const project = withFinished("app--auth--login");
    newWorktree(project, "app--auth/login", aStory("app--auth--login", { status: "completed" }));
    const { code } = await refused(project, "archive", "app--auth--login");
    expect(code).toBe("in-use");
  });

  it("a story that is running, and names the worker", async () => {
    const project = withFinished("s");
    const { lease } = await openStore(project.path).leases.acquire("story.s", {
      owner: "worker 7",
      ttlMs: 60_000,
    });
    onTestFinished(() => lease?.release());
    const { code, text } = await refused(project, "archive", "s");
    expect(code).toBe("in-use");
    expect(text).toContain("The story s is running (worker 7).");
  });

  it("an id that breaks the rules", async () => {
    const { code, text } = await refused(newProject(), "archive", "../s");
    expect(code).toBe("bad-id");
    expect(text).toContain("Try `s`.");
  });

  it("a story that is in the archive and in stories as well", async () => {
    const project = withFinished("s");
    project.write(".saga/archive/s/story.json", aStory("s", { status: "completed" }));
    const { text } = await refused(project, "archive", "s");
    expect(text).toContain(join(project.path, ".saga/archive/s"));
  });

  it("a file in the place of the archive", async () => {
    const project = withFinished("s");
    project.write(".saga/archive", "in the way\n");
    const { text } = await refused(project, "archive", "s");
    expect(text).toContain(join(project.path, ".saga/archive"));
  });

  it("a file in the place of the story in the archive", async () => {
    const project = withFinished("s");
    project.write(".saga/archive/s", "in the way\n");
    const { text } = await refused(project, "archive", "s");
    expect(text).toContain(join(project.path, ".saga/archive/s"));
  });

  it("an archive that is a link out of .saga", async () => {
    const project = withFinished("s");
    const outside = newFolder("outside");
    project.link(".saga/archive", outside.path);
    const before = wholeDisk(outside.path);
    const { code } = await refused(project, "archive", "s");
    expect(code).toBe("unsafe-path");
    expect(wholeDisk(outside.path)).toBe(before);
  });

  it.each([
    ["stories", ".saga/stories", "."],
    ["the story's folder", ".saga/stories/s", "s"],
    ["the story's file", ".saga/stories/s/story.json", "s/story.json"],
  ])("to move what is reached by a link out of .saga: %s", async (_, link, target) => {
    const project = newProject();
    const outside = newFolder("outside");
    outside.write("s/story.json", aStory("s", { status: "completed" }));
    project.link(link, join(outside.path, target));
    const before = wholeDisk(outside.path);
    const { text } = await refused(project, "archive", "s");
    expect(text).toContain(link);
    expect(wholeDisk(outside.path)).toBe(before);
  });

  it("to guess which story", async () => {
    expect((await misused(newProject(), "archive")).message).toContain(
      "Name stories, or use either --epic or --all.",
    );
    const both = await misused(newProject(), "archive", "s", "--all");
    expect(both.message).toContain("Name stories, or use either --epic or --all.");
  });
});
