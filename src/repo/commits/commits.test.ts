import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  killedAtCalls,
  newRepository,
  prepare,
  STORY,
  type TestRepository,
} from "../../../test/support/repository.ts";
import { openGit, type Git } from "../../machine/programs/git.ts";
import {
  commitPart,
  commitRest,
  commitStart,
  committedParts,
  committedTasks,
  commitTask,
} from "./commits.ts";

const FORM = { id: "form", subject: "Build the form" };

async function worktree(): Promise<{
  test: TestRepository;
  folder: string;
  git: Git;
  base: string;
}> {
  const test = newRepository();
  const { folder } = await prepare(test);
  return { test, folder, git: openGit(folder, test.env), base: test.git("rev-parse", "main") };
}

describe("the commit of a task", () => {
  it("contains all changes, under the task's name", async () => {
    const { test, folder, git } = await worktree();
    writeFileSync(join(folder, "read me.txt"), "changed\n");
    writeFileSync(join(folder, "new"), "new\n");
    rmSync(join(folder, "src/main.ts"));
    const { commit, addError } = await commitTask({
      git,
      storyId: STORY,
      task: FORM,
      exclude: [],
    });
    expect(addError).toBeUndefined();
    expect(test.git("rev-parse", `story/${STORY}`)).toBe(commit);
    expect(test.gitIn(folder, "status", "--porcelain")).toBe("");
    expect(test.gitIn(folder, "log", "-1", "--format=%B").trim()).toBe(
      `Build the form\n\nSaga-Story: ${STORY}\nSaga-Task: form`,
    );
    expect(test.gitIn(folder, "log", "-1", "--format=%an <%ae>")).toBe(
      "Person <person@example.org>",
    );
    const files = test.gitIn(folder, "show", "--format=", "--name-status", "HEAD", "--", ":!.saga");
    expect(files.split("\n")).toEqual(["A\tnew", "M\tread me.txt", "D\tsrc/main.ts"]);
  });

  it.each(["# not a comment", "-m", "two\nlines", "Saga-Task: other", `"$(id)"`, "ü 計"])(
    "has any subject: %j",
    async (subject) => {
      const { test, folder, git, base } = await worktree();
      await commitTask({ git, storyId: STORY, task: { id: "form", subject }, exclude: [] });
      expect(test.gitIn(folder, "log", "-1", "--format=%s")).toBe(subject.replace("\n", " "));
      expect([...(await committedTasks(git, base, STORY))]).toEqual(["form"]);
    },
  );

  it("contains changes of files that git takes for unchanged", async () => {
    const test = newRepository();
    test.git("config", "core.ignoreStat", "true");
    const { folder } = await prepare(test);
    writeFileSync(join(folder, "read me.txt"), "changed\n");
    const git = openGit(folder, test.env);
    await commitTask({ git, storyId: STORY, task: FORM, exclude: [] });
    expect(test.gitIn(folder, "show", "HEAD:read me.txt")).toBe("changed");
  });

  it("is written even when nothing has changed", async () => {
    const { git, base } = await worktree();
    for (const id of ["form", "page"]) {
      await commitTask({ git, storyId: STORY, task: { id, subject: id }, exclude: [] });
    }
    expect(await committedTasks(git, base, STORY)).toEqual(new Set(["form", "page"]));
  });

  it("leaves provisioned files out, even if they were staged", async () => {
    const { test, folder, git } = await worktree();
    writeFileSync(join(folder, ".env"), "secret\n");
    mkdirSync(join(folder, "data"));
    writeFileSync(join(folder, "data/one"), "one\n");
    writeFileSync(join(folder, "*.txt"), "a name, not a pattern\n");
    writeFileSync(join(folder, "other.txt"), "other\n");
    writeFileSync(join(folder, "src/main.ts"), "changed\n");
    test.gitIn(folder, "add", ".env");
    const exclude = [".env", "data", "*.txt", "src"];
    await commitTask({ git, storyId: STORY, task: FORM, exclude });
    const files = test.gitIn(folder, "show", "--format=", "--name-only", "HEAD", "--", ":!.saga");
    // What git knows already is committed wherever it is.
    expect(files.split("\n")).toEqual(["other.txt", "src/main.ts"]);
    expect(readFileSync(join(folder, ".env"), "utf8")).toBe("secret\n");
  });

  it("is written where git ignores .saga", async () => {
    const { test, folder, git, base } = await worktree();
    writeFileSync(join(folder, ".gitignore"), ".saga\n");
    test.gitIn(folder, "add", ".gitignore");
    await commitStart({ git, storyId: STORY, title: "Login", baseCommit: base });
    expect(test.gitIn(folder, "status", "--porcelain")).toBe("A  .gitignore");
    await commitTask({ git, storyId: STORY, task: FORM, exclude: [] });
    expect(test.gitIn(folder, "show", "--format=", "--name-only", "HEAD")).toBe(".gitignore");
  });

  it("is written in Saga's name if git has none", async () => {
    const { test, folder } = await worktree();
    writeFileSync(test.env["GIT_CONFIG_GLOBAL"] ?? "", "[user]\n\tuseConfigOnly = true\n");
    const git = openGit(folder, test.env);
    await commitTask({ git, storyId: STORY, task: FORM, exclude: [] });
    expect(test.gitIn(folder, "log", "-1", "--format=%an <%ae> %cn <%ce>")).toBe(
      "Saga <saga@localhost> Saga <saga@localhost>",
    );
  });

  it("runs no hook, and needs no signature", async () => {
    const { test, folder, git } = await worktree();
    test.write(".git/hooks/pre-commit", "#!/bin/sh\nexit 1\n");
    test.write(".git/hooks/commit-msg", "#!/bin/sh\nexit 1\n");
    test.git("config", "commit.gpgSign", "true");
    test.git("config", "commit.cleanup", "scissors");
    await commitTask({ git, storyId: STORY, task: FORM, exclude: [] });
    expect(test.gitIn(folder, "log", "-1", "--format=%s")).toBe("Build the form");
  });

  it("contains the rest when one file cannot be added, and names that file", async () => {
    const { test, folder, git } = await worktree();
    mkdirSync(join(folder, "inner"));
    test.gitIn(join(folder, "inner"), "init", "--quiet");
    writeFileSync(join(folder, "new"), "new\n");
    const { addError } = await commitTask({ git, storyId: STORY, task: FORM, exclude: [] });
    expect(addError).toContain("inner/");
    expect(test.gitIn(folder, "show", "HEAD:new")).toBe("new");
  });

  it.each([
    ["on another branch", ["switch", "--quiet", "--create", "mine"]],
    ["on no branch", ["checkout", "--quiet", "--detach"]],
  ])("is refused %s", async (_, command) => {
    const { test, folder, git } = await worktree();
    test.gitIn(folder, ...command);
    const before = test.gitIn(folder, "rev-parse", "HEAD");
    await expect(commitTask({ git, storyId: STORY, task: FORM, exclude: [] })).rejects.toThrow(
      `not on story/${STORY}`,
    );
    expect(test.gitIn(folder, "rev-parse", "HEAD")).toBe(before);
  });

  it("is written once, wherever it was killed", async () => {
    const calls = await killedAtCalls(async (dying) => {
      const { test, folder, git, base } = await worktree();
      writeFileSync(join(folder, "new"), "new\n");
      const commit = async (git: Git): Promise<void> => {
        if ((await committedTasks(git, base, STORY)).has("form")) return;
        await commitTask({ git, storyId: STORY, task: FORM, exclude: [".env"] });
      };
      try {
        await commit(dying(git));
      } finally {
        await commit(git);
        expect(test.gitIn(folder, "log", "--format=%s", `${base}..HEAD`)).toBe("Build the form");
        expect(test.gitIn(folder, "show", "HEAD:new")).toBe("new");
        expect(test.gitIn(folder, "status", "--porcelain")).toBe("");
      }
    });
    expect(calls).toBeGreaterThan(5);
  });
});

describe("the tasks that have a commit", () => {
  it("are this story's, not those of a merged story", async () => {
    const { test, folder, git, base } = await worktree();
    const message = "Other\n\nSaga-Story: other\nSaga-Task: form";
    test.gitIn(folder, "commit", "--quiet", "--allow-empty", `--message=${message}`);
    expect(await committedTasks(git, base, STORY)).toEqual(new Set());
  });
});

describe("the first commit of a branch", () => {
  const start = { storyId: STORY, title: "Log in\nwith a form" };

  it("contains only the story, and is written once", async () => {
    const { test, folder, git, base } = await worktree();
    writeFileSync(join(folder, "new"), "new\n");
    writeFileSync(join(folder, "staged"), "staged\n");
    test.gitIn(folder, "add", "staged");
    await commitStart({ git, ...start, baseCommit: base });
    expect(test.gitIn(folder, "log", "-1", "--format=%B").trim()).toBe(
      `Start story: Log in with a form\n\nSaga-Story: ${STORY}`,
    );
    const files = test.gitIn(folder, "show", "--format=", "--name-only", "HEAD");
    expect(files.split("\n")).toEqual([
      `.saga/stories/${STORY}/form.json`,
      `.saga/stories/${STORY}/story.json`,
    ]);
    expect(test.gitIn(folder, "status", "--porcelain")).toBe("A  staged\n?? new");
    expect(await commitStart({ git, ...start, baseCommit: base })).toBeUndefined();
  });

  it("is written even if the story is already committed", async () => {
    const test = newRepository();
    test.git("add", "--all");
    test.git("commit", "--quiet", "--message=story");
    const { folder } = await prepare(test);
    const git = openGit(folder, test.env);
    const baseCommit = test.git("rev-parse", "main");
    writeFileSync(join(folder, "staged"), "staged\n");
    test.gitIn(folder, "add", "staged");
    const made = await commitStart({ git, ...start, baseCommit, completed: ["form"] });
    expect(test.gitIn(folder, "status", "--porcelain")).toBe("A  staged");
    expect(made?.commit).toBe(test.gitIn(folder, "rev-parse", "HEAD"));
    expect(await committedTasks(git, baseCommit, STORY)).toEqual(new Set(["form"]));
  });
});

describe("the rest at the end of a run", () => {
  it("is committed if there is any", async () => {
    const { test, folder, git } = await worktree();
    const rest = { git, storyId: STORY, exclude: [".env"] };
    writeFileSync(join(folder, ".env"), "secret\n");
    expect(await commitRest(rest)).toBeDefined();
    expect(test.gitIn(folder, "log", "-1", "--format=%s")).toBe(`Update the state of ${STORY}`);
    expect(await commitRest(rest)).toBeUndefined();
    writeFileSync(join(folder, "new"), "new\n");
    await commitRest({ ...rest, isDone: true });
    expect(test.gitIn(folder, "log", "-1", "--format=%s")).toBe(`Complete ${STORY}`);
    expect(test.gitIn(folder, "status", "--porcelain")).toBe("?? .env");
  });
});

describe("the commit of a part of a task", () => {
  it("contains the changes so far, and does not count as the completed task", async () => {
    const { test, folder, git, base } = await worktree();
    writeFileSync(join(folder, "half"), "half\n");
    const made = await commitPart({ git, storyId: STORY, task: FORM, exclude: [] });
    expect(test.gitIn(folder, "log", "-1", "--format=%B").trim()).toBe(
      `Build the form (a part)\n\nSaga-Story: ${STORY}\nSaga-Task-Part: form`,
    );
    expect([...(await committedTasks(git, base, STORY))]).toEqual([]);
    const parts = (taskId: string) => committedParts(git, base, { storyId: STORY, taskId });
    expect(await parts("form")).toEqual([made?.commit]);
    expect(await parts("page")).toEqual([]);
    await commitTask({ git, storyId: STORY, task: FORM, exclude: [] });
    expect(await parts("form")).toEqual([made?.commit]);
    expect([...(await committedTasks(git, base, STORY))]).toEqual(["form"]);
  });

  it("is written for new files alone, even with status.showUntrackedFiles=no", async () => {
    const { test, folder, git } = await worktree();
    test.git("config", "status.showUntrackedFiles", "no");
    writeFileSync(join(folder, "half"), "half\n");
    await commitPart({ git, storyId: STORY, task: FORM, exclude: [] });
    expect(test.gitIn(folder, "show", "HEAD:half")).toBe("half");
  });

  it("is not written when only Saga's own or excluded files have changed", async () => {
    const { test, folder, git } = await worktree();
    const head = test.gitIn(folder, "rev-parse", "HEAD");
    writeFileSync(join(folder, ".env"), "KEY=1\n");
    mkdirSync(join(folder, ".saga/stories", STORY), { recursive: true });
    writeFileSync(join(folder, ".saga/stories", STORY, "journal.md"), "# Journal\n");
    const request = { git, storyId: STORY, task: FORM, exclude: [".env"] };
    expect(await commitPart(request)).toBeUndefined();
    expect(test.gitIn(folder, "rev-parse", "HEAD")).toBe(head);
    writeFileSync(join(folder, "half"), "half\n");
    await commitPart(request);
    const files = test.gitIn(folder, "show", "--format=", "--name-only", "HEAD").split("\n");
    expect(files).toContain("half");
    expect(files).toContain(`.saga/stories/${STORY}/journal.md`);
    expect(files).not.toContain(".env");
  });
});
