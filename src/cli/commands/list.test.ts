import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Problem } from "../../errors.ts";
import {
  anEpic,
  aStory,
  aTask,
  newFolder,
  newProject,
  snapshot,
  type Project,
} from "../../../test/support/project.ts";
import { isHarmless, misused, refused } from "../../../test/support/refused.ts";
import { newWorktree } from "../../../test/support/worktree.ts";
import { thisProcess } from "../../machine/process.ts";
import { openStore } from "../../store/file-store.ts";

interface Listed {
  readonly epics: readonly Record<string, unknown>[];
  readonly stories: readonly Record<string, unknown>[];
  readonly problems: readonly Problem[];
}

const listed = async (project: Project, ...words: string[]): Promise<Listed> =>
  (await project.saga("list", ...words, "--json")).json() as unknown as Listed;

const stateOf = async (project: Project, id: string): Promise<unknown> =>
  (await listed(project)).stories.find((story) => story["id"] === id)?.["state"];

/** A project with one good story, `good`. */
function oneGoodStory(): Project {
  const project = newProject();
  project.write(".saga/stories/good/story.json", aStory("good"));
  project.write(".saga/stories/good/t.json", aTask("t"));
  return project;
}

describe("saga list", () => {
  it("says how to begin when there is nothing yet", async () => {
    const { exitCode, stdout } = await newProject().saga("list");
    expect(exitCode).toBe(0);
    expect(stdout).toContain("There are no stories yet.");
    expect(stdout).toContain("saga new story");
  });

  it("shows epics with their stories in working order, and the others after them", async () => {
    const project = newProject();
    project.write(
      ".saga/epics/auth/epic.json",
      anEpic("auth", [
        { id: "auth--page", blockedBy: ["auth--db"] },
        { id: "auth--db", blockedBy: [] },
      ]),
    );
    project.write(".saga/stories/auth--page/story.json", aStory("auth--page"));
    project.write(".saga/stories/auth--db/story.json", aStory("auth--db"));
    project.write(".saga/stories/auth--db/t.json", aTask("t"));
    project.write(".saga/stories/alone/story.json", aStory("alone"));
    const { exitCode, stdout, stderr } = await project.saga("list");
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout).toBe(
      [
        "auth  Title of auth  pending, 0/2 stories",
        "  ○ auth--db    ready          0/1  Title of auth--db",
        "  ◌ auth--page  waiting        0/0  Title of auth--page  (after auth--db)",
        "",
        "Stories without an epic",
        "  · alone  pending        0/0  Title of alone",
        "",
      ].join("\n"),
    );
  });

  it("says in one line what was in flight, whatever is filtered, and nothing when nothing was", async () => {
    const project = oneGoodStory();
    expect((await project.saga("list")).stdout).not.toContain("in flight");
    for (const id of ["one", "two"]) {
      project.write(`.saga/stories/${id}/story.json`, aStory(id, { status: "in_progress" }));
      project.write(`.saga/stories/${id}/t.json`, aTask("t"));
      const { stdout } = await project.saga("list", "--state", "ready");
      const line = {
        one: "1 story was in flight when its worker ended: saga recover",
        two: "2 stories were in flight when their workers ended: saga recover",
      }[id];
      expect(stdout.trimEnd().split("\n").at(-1)).toBe(line);
      expect((await project.saga("status")).stdout.trimEnd().split("\n").at(-1)).toBe(line);
    }
    expect((await project.saga("status", "--json")).json()["inFlight"]).toEqual(["one", "two"]);
    expect((await project.saga("status")).stdout).toContain("saga resume one");
  });

  it("gives programs epics, stories and problems", async () => {
    const project = newProject();
    project.write(".saga/epics/e/epic.json", anEpic("e", [{ id: "s", blockedBy: [] }]));
    project.write(".saga/stories/s/story.json", aStory("s", { labels: ["web"], priority: 1 }));
    project.write(".saga/stories/s/t.json", aTask("t", { status: "completed" }));
    project.write(".saga/stories/s/u.json", aTask("u"));
    expect(await listed(project)).toEqual({
      epics: [{ id: "e", title: "Title of e", status: "in_progress", stories: ["s"] }],
      stories: [
        {
          id: "s",
          title: "Title of s",
          state: "interrupted",
          status: "pending",
          epic: "e",
          priority: 1,
          labels: ["web"],
          tasks: { total: 2, completed: 1 },
          waitsFor: [],
          openBlockers: [],
          copy: "project",
        },
      ],
      inFlight: ["s"],
      problems: [],
    });
  });

  it("changes nothing", async () => {
    const project = oneGoodStory();
    const before = snapshot(project.path);
    await project.saga("list");
    expect(snapshot(project.path)).toBe(before);
  });

  it("finds the project from any folder below it", async () => {
    const project = oneGoodStory();
    mkdirSync(join(project.path, "src/deep"), { recursive: true });
    expect((await project.saga("list", "-C", "src/deep")).stdout).toContain("good");
  });

  it("counts an archived story as completed, and no longer lists it", async () => {
    const project = newProject();
    const children = [{ id: "old" }, { id: "new", blockedBy: ["old"] }];
    project.write(".saga/epics/e/epic.json", anEpic("e", children));
    project.write(".saga/archive/old/story.json", aStory("old", { status: "completed" }));
    project.write(".saga/stories/new/story.json", aStory("new"));
    project.write(".saga/stories/new/t.json", aTask("t"));
    const { stdout } = await project.saga("list");
    expect(stdout).toContain("1/2 stories");
    expect(stdout).not.toMatch(/^ {2}. old /m);
    expect(await stateOf(project, "new")).toBe("ready");
  });

  it("leaves the older markdown form to others", async () => {
    const project = oneGoodStory();
    project.write(".saga/stories/older/story.md", "# Older\n");
    project.write(".saga/epics/older/epic.md", "# Older\n");
    expect((await project.saga("list")).stdout).toContain(
      "In the older markdown form, and not shown: older.",
    );
    expect((await listed(project)).problems).toEqual([]);
  });

  it("has examples in its help", async () => {
    const { exitCode, stdout } = await newProject().saga("list", "--help");
    expect(exitCode).toBe(0);
    expect(stdout).toContain("Usage: saga list");
    expect(stdout).toMatch(/Examples:\n {2}saga list\n/);
  });
});

describe("the state that saga list shows is", () => {
  const story = (fields: Record<string, unknown>, ...tasks: Record<string, unknown>[]): Project => {
    const project = newProject();
    project.write(".saga/stories/s/story.json", aStory("s", fields));
    for (const task of tasks) {
      project.write(`.saga/stories/s/${String(task["id"])}.json`, task);
    }
    return project;
  };
  const done = aTask("done", { status: "completed" });

  it("pending without tasks", async () => {
    expect(await stateOf(story({}), "s")).toBe("pending");
  });

  it("ready with tasks", async () => {
    expect(await stateOf(story({}, aTask("t")), "s")).toBe("ready");
  });

  it("running while a living worker has it, who is named", async () => {
    const project = story({ status: "in_progress" }, aTask("t"));
    const { lease } = await openStore(project.path).leases.acquire("story.s", {
      owner: "worker 7",
      ttlMs: 60_000,
    });
    onTestFinished(() => lease?.release());
    expect(await listed(project)).toMatchObject({
      stories: [{ state: "running", worker: { owner: "worker 7", pid: process.pid } }],
    });
  });

  it("interrupted when it has begun and nobody works on it", async () => {
    expect(await stateOf(story({ status: "in_progress" }, aTask("t")), "s")).toBe("interrupted");
  });

  it("interrupted when its worker has died", async () => {
    const project = story({}, aTask("t"));
    project.write(".saga/leases/story.s/1.json", {
      ...thisProcess(),
      startTime: "long ago",
      owner: "worker 7",
      takenAt: "2026-01-01T00:00:00.000Z",
      expiresAt: "2026-01-01T00:01:00.000Z",
      generation: 1,
    });
    expect(await listed(project)).toMatchObject({ stories: [{ state: "interrupted" }] });
    expect((await listed(project)).stories[0]).not.toHaveProperty("worker");
  });

  it.each(["saga merge", "saga"])(
    "as it was when a %s died over it: that was no worker",
    async (owner) => {
      const project = story({}, aTask("t"));
      project.write(".saga/leases/story.s/1.json", {
        ...thisProcess(),
        startTime: "long ago",
        owner,
        takenAt: "2026-01-01T00:00:00.000Z",
        expiresAt: "2026-01-01T00:01:00.000Z",
        generation: 1,
      });
      expect(await stateOf(project, "s")).toBe("ready");
      expect(await listed(project)).toMatchObject({ inFlight: [] });
      expect((await project.saga("recover", "--json")).json()).toMatchObject({ inFlight: [] });
    },
  );

  it("failed when the last run has failed", async () => {
    const project = story({ status: "in_progress" }, aTask("t"));
    const run = { id: "20261115T214800123Z-1a2b", story: "s", outcome: "failed" };
    const file = `.saga/runs/s/${run.id}/run.json`;
    project.write(file, { ...run, startedAt: "2026-11-15T21:48:00.123Z" });
    expect(await stateOf(project, "s")).toBe("failed");
  });

  it("blocked while a question is open, which is shown", async () => {
    const project = story({}, aTask("t"));
    await project.saga("journal", "s", "--blocker", "Which database?");
    const { stdout } = await project.saga("list");
    expect(stdout).toContain("■ s  blocked");
    expect(stdout).toContain("(Which database?)");
    expect(await listed(project)).toMatchObject({
      stories: [{ state: "blocked", openBlockers: [{ id: "b1", title: "Which database?" }] }],
    });
  });

  it("review when every task is completed and it is not", async () => {
    expect(await stateOf(story({ status: "in_progress" }, done), "s")).toBe("review");
  });

  it("review, not completed, while its work is still in a worktree", async () => {
    const project = story({}, aTask("t"));
    newWorktree(project, "s", aStory("s", { status: "completed" }));
    expect(await stateOf(project, "s")).toBe("review");
  });

  it("completed when all of it is", async () => {
    expect(await stateOf(story({ status: "completed" }, done), "s")).toBe("completed");
  });
});

describe("saga list can be narrowed", () => {
  function twoEpics(): Project {
    const project = newProject();
    for (const epic of ["one", "two"]) {
      project.write(`.saga/epics/${epic}/epic.json`, anEpic(epic, [{ id: `${epic}--s` }]));
      project.write(`.saga/stories/${epic}--s/story.json`, aStory(`${epic}--s`));
    }
    project.write(".saga/stories/two--s/t.json", aTask("t"));
    return project;
  }

  it("to one epic", async () => {
    const { stdout } = await twoEpics().saga("list", "--epic", "two");
    expect(stdout).toContain("two--s");
    expect(stdout).not.toContain("one");
  });

  it("to some states", async () => {
    const project = twoEpics();
    const { stdout } = await project.saga("list", "--state", "ready", "running");
    expect(stdout).toContain("two--s");
    expect(stdout).not.toContain("one--s");
    const both = await listed(project, "--state", "ready", "--state", "pending");
    expect(both.stories.map(({ id }) => id)).toEqual(["one--s", "two--s"]);
  });

  it("to nothing, and says so", async () => {
    const { exitCode, stdout } = await twoEpics().saga("list", "--state", "blocked");
    expect(exitCode).toBe(0);
    expect(stdout).toBe("No story matches.\n");
  });

  it("not to a state that does not exist: it names those that do", async () => {
    const { message } = await misused(twoEpics(), "list", "--state", "finished");
    expect(message).toContain("finished");
    expect(message).toContain("pending, waiting, ready");
  });

  it("not to an epic that does not exist", async () => {
    const { code, text } = await refused(twoEpics(), "list", "--epic", "three");
    expect(code).toBe("not-found");
    expect(text).toContain("three");
  });
});

describe("saga list as a command line", () => {
  it("takes no words", async () => {
    const { hint } = await misused(newProject(), "list", "stories");
    expect(hint).toContain("`saga list --help`");
  });

  it("says how to begin where there is no project", async () => {
    const folder = newFolder();
    const { code, text } = await refused(folder, "list");
    expect(code).toBe("no-project");
    expect(text).toContain(folder.path);
    expect(text).toContain("saga init");
  });

  it("says that a folder does not exist, and not that it needs a project", async () => {
    const { text } = await refused(newProject(), "list", "-C", "/no/such/folder");
    expect(text).toContain("/no/such/folder");
    expect(text).not.toContain("saga init");
  });
});

describe("one bad story never hides the good ones: saga list copes with", () => {
  const bad: readonly (readonly [string, (project: Project) => void])[] = [
    ["broken JSON", (at) => at.write(".saga/stories/bad/story.json", '{ "id": "bad", ')],
    ["an empty file", (at) => at.write(".saga/stories/bad/story.json", "")],
    ["a binary file", (at) => at.write(".saga/stories/bad/story.json", "\u0000\u0001\ufffd")],
    ["a file that is no object", (at) => at.write(".saga/stories/bad/story.json", "[]")],
    ["a wrong type", (at) => at.write(".saga/stories/bad/story.json", aStory("bad", { title: 5 }))],
    ["a missing story.json", (at) => at.write(".saga/stories/bad/t.json", aTask("t"))],
    [
      "an id that is not the folder's",
      (at) => at.write(".saga/stories/bad/story.json", aStory("b")),
    ],
    [
      "a folder name that is no id",
      (at) => at.write(".saga/stories/Bad bad/story.json", aStory("x")),
    ],
    [
      "a broken task",
      (at) => {
        at.write(".saga/stories/bad/story.json", aStory("bad"));
        at.write(".saga/stories/bad/t.json", "{");
      },
    ],
    [
      "a task whose id is not its file's",
      (at) => {
        at.write(".saga/stories/bad/story.json", aStory("bad"));
        at.write(".saga/stories/bad/t.json", aTask("u"));
      },
    ],
    [
      "a folder in the place of story.json",
      (at) => mkdirSync(join(at.path, ".saga/stories/bad/story.json"), { recursive: true }),
    ],
    [
      "a folder in the place of a task",
      (at) => {
        at.write(".saga/stories/bad/story.json", aStory("bad"));
        mkdirSync(join(at.path, ".saga/stories/bad/t.json"));
      },
    ],
    [
      "a folder in the place of the journal",
      (at) => {
        at.write(".saga/stories/bad/story.json", aStory("bad"));
        mkdirSync(join(at.path, ".saga/stories/bad/journal.md"));
      },
    ],
    ["a story that is a link out of .saga", (at) => at.link(".saga/stories/bad", outsideStory())],
    [
      "a story.json that is a link out of .saga",
      (at) => at.link(".saga/stories/bad/story.json", join(outsideStory(), "story.json")),
    ],
    [
      "a journal that is a link out of .saga",
      (at) => {
        at.write(".saga/stories/bad/story.json", aStory("bad"));
        at.link(".saga/stories/bad/journal.md", join(outsideStory(), "story.json"));
      },
    ],
    ["a link that leads nowhere", (at) => at.link(".saga/stories/bad", "/no/such/folder")],
    ["a link that leads to itself", (at) => at.link(".saga/stories/bad", "bad")],
    [
      "a task that is a link that leads to itself",
      (at) => {
        at.write(".saga/stories/bad/story.json", aStory("bad"));
        at.link(".saga/stories/bad/t.json", "t.json");
      },
    ],
  ];

  it.each(bad)("%s", async (_, spoil) => {
    const project = oneGoodStory();
    spoil(project);
    const before = snapshot(project.path);
    const { exitCode, stdout, stderr } = await project.saga("list");
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout).toContain("  ○ good  ready          0/1  Title of good\n");
    expect(stdout).toMatch(/Left out.*saga validate/);
    const { stories, problems } = await listed(project);
    expect(stories.map(({ id }) => id)).toEqual(["good"]);
    expect(problems.length).toBeGreaterThan(0);
    expect(problems.every(({ file }) => file.includes("/.saga/stories/"))).toBe(true);
    expect(snapshot(project.path)).toBe(before);
  });

  it("a broken epic, whose stories are shown without it", async () => {
    const project = oneGoodStory();
    project.write(".saga/epics/bad/epic.json", "{");
    const { exitCode, stdout } = await project.saga("list");
    expect(exitCode).toBe(0);
    expect(stdout).toContain("good");
    expect(stdout).toContain("Left out because of 1 broken file");
  });

  it("a run whose record is broken", async () => {
    const project = oneGoodStory();
    project.write(".saga/runs/good/20261115T214800123Z-1a2b/run.json", "{");
    expect(await stateOf(project, "good")).toBe("ready");
  });

  it("a lease that makes no sense", async () => {
    const project = oneGoodStory();
    project.write(".saga/leases/story.good/1.json", "nonsense");
    expect(await stateOf(project, "good")).toBe("ready");
  });

  it("settings that are wrong", async () => {
    const project = oneGoodStory();
    project.write(".saga/config.toml", "[");
    expect(await stateOf(project, "good")).toBe("ready");
  });

  it("more than one, and names every story that it leaves out", async () => {
    const project = oneGoodStory();
    project.write(".saga/stories/first-bad/story.json", "{");
    project.write(".saga/stories/second-bad/story.json", "{");
    const { stdout } = await project.saga("list");
    expect(stdout).toContain("Left out because of 2 broken files");
    expect(stdout).toContain("first-bad");
    expect(stdout).toContain("second-bad");
  });

  it("nothing but bad ones, without an empty line first", async () => {
    const project = newProject();
    project.write(".saga/stories/bad/story.json", "{");
    const { exitCode, stdout } = await project.saga("list");
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^Left out/);
  });
});

describe("saga list does not follow a folder of .saga out of it", () => {
  it.each(["stories", "epics", "archive"])("%s", async (name) => {
    const project = newProject();
    const outside = newFolder("outside");
    outside.write("secret/story.json", aStory("secret"));
    outside.write("secret/epic.json", anEpic("secret", []));
    project.link(`.saga/${name}`, outside.path);
    const { stdout } = await project.saga("list");
    expect(stdout).not.toContain("secret");
    const { problems } = await listed(project);
    expect(problems).toMatchObject([{ file: join(project.path, ".saga", name) }]);
  });

  it("worktrees", async () => {
    const project = newProject();
    const outside = newFolder("outside");
    newWorktree(outside, "secret", aStory("secret"));
    project.link(".saga/worktrees/secret", join(outside.path, ".saga/worktrees/secret"));
    expect((await project.saga("list")).stdout).not.toContain("secret");
  });
});

describe("saga list refuses with one sentence when a file stands in the place of", () => {
  it.each(["stories", "epics", "archive", "worktrees", "runs", "leases"])("%s", async (name) => {
    const project = newProject();
    project.write(`.saga/${name}`, "in the way\n");
    const { text } = await refused(project, "list");
    expect(text).toContain(join(project.path, ".saga", name));
  });

  it(".saga itself", async () => {
    const folder = newFolder();
    folder.write(".saga", "in the way\n");
    const { text } = await refused(folder, "list");
    expect(text).toContain(join(folder.path, ".saga"));
  });
});

// Root may read anything.
describe.skipIf(process.getuid?.() === 0)("saga list copes with what it may not read:", () => {
  it.each([".saga/stories/bad", ".saga/stories/bad/story.json", ".saga/stories/bad/journal.md"])(
    "%s",
    async (file) => {
      const project = oneGoodStory();
      project.write(".saga/stories/bad/story.json", aStory("bad"));
      project.write(".saga/stories/bad/journal.md", "# Journal\n");
      chmodSync(join(project.path, file), 0o000);
      onTestFinished(() => chmodSync(join(project.path, file), 0o755));
      const { stories, problems } = await listed(project);
      expect(stories.map(({ id }) => id)).toEqual(["good"]);
      expect(problems).toMatchObject([{ file: join(project.path, file) }]);
    },
  );

  it("the stories folder itself, which it names", async () => {
    const project = oneGoodStory();
    const folder = join(project.path, ".saga/stories");
    chmodSync(folder, 0o000);
    onTestFinished(() => chmodSync(folder, 0o755));
    const { exitCode, stdout, stderr } = await project.saga("list");
    expect(stdout + stderr).toContain(".saga/stories");
    expect(exitCode).toBe(1);
  });
});

describe("while a story has a worktree, saga list shows the copy in it", () => {
  it.each([
    ["today's layout", "auth--login", "auth--login"],
    ["the older stories/<id>", "stories/auth--login", "auth--login"],
    ["the older <epic>/<story>", "auth/login", "auth--login"],
    ["the older <epic>/<story> of an epic with two levels", "app--auth/login", "app--auth--login"],
  ])("%s", async (_, place, id) => {
    const project = newProject();
    project.write(`.saga/stories/${id}/story.json`, aStory(id, { title: "Old" }));
    const live = newWorktree(project, place, aStory(id, { title: "Live" }));
    project.write(`${live}/t.json`, aTask("t"));
    const { stories } = await listed(project);
    expect(stories).toMatchObject([{ id, title: "Live", copy: "worktree", tasks: { total: 1 } }]);
  });

  it.each(["auth--login", "stories/auth--login", "auth/login"])(
    "also when it is started inside that worktree: %s",
    async (place) => {
      const project = newProject();
      project.write(".saga/stories/auth--login/story.json", aStory("auth--login"));
      project.write(".saga/stories/other/story.json", aStory("other"));
      newWorktree(project, place, aStory("auth--login", { title: "Live" }));
      mkdirSync(join(project.path, ".saga/worktrees", place, "src/deep"), { recursive: true });
      const { stories } = await listed(project, "-C", `.saga/worktrees/${place}/src/deep`);
      expect(stories).toMatchObject([{ title: "Live" }, { id: "other" }]);
    },
  );

  it("and a story that only the worktree has", async () => {
    const project = newProject();
    newWorktree(project, "s", aStory("s"));
    expect((await listed(project)).stories).toMatchObject([{ id: "s", copy: "worktree" }]);
  });

  it("but not of other stories in that worktree", async () => {
    const project = newProject();
    project.write(".saga/stories/other/story.json", aStory("other", { title: "True" }));
    newWorktree(project, "s", aStory("s"));
    project.write(".saga/worktrees/s/.saga/stories/other/story.json", aStory("other"));
    expect((await listed(project)).stories).toMatchObject([{ title: "True" }, { id: "s" }]);
  });

  it("but not when the folder is no worktree of git", async () => {
    const project = newProject();
    project.write(".saga/stories/s/story.json", aStory("s", { title: "True" }));
    project.write(".saga/worktrees/s/.saga/stories/s/story.json", aStory("s"));
    expect((await listed(project)).stories).toMatchObject([{ title: "True", copy: "project" }]);
  });

  it("and leaves the story out when that copy is broken, rather than show an old one", async () => {
    const project = oneGoodStory();
    project.write(".saga/stories/s/story.json", aStory("s"));
    const live = newWorktree(project, "s", aStory("s"));
    project.write(`${live}/story.json`, "{");
    const { stories, problems } = await listed(project);
    expect(stories.map(({ id }) => id)).toEqual(["good"]);
    expect(problems).toMatchObject([{ file: join(project.path, live, "story.json") }]);
  });
});

describe("nothing in a file reaches the terminal raw from saga list", () => {
  const escape = "\u001b[2J\u009b31m\u0007\r\u202e";

  it("a blocker's title", async () => {
    const project = oneGoodStory();
    await project.saga("journal", "good", "--blocker", `Which${escape}?`);
    const { stdout } = await project.saga("list");
    expect(stdout).toContain("blocked");
    expect(isHarmless(stdout)).toBe(true);
  });

  it("a folder's name", async () => {
    const project = oneGoodStory();
    project.write(`.saga/stories/bad${escape}/story.json`, "{");
    project.write(`.saga/stories/good/t${escape}.json`, "{");
    const { stdout } = await project.saga("list");
    expect(stdout).toContain("Left out");
    expect(isHarmless(stdout)).toBe(true);
  });
});

function outsideStory(): string {
  const outside = newFolder("outside");
  outside.write("story.json", aStory("bad"));
  return outside.path;
}
