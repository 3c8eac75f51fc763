import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { listed, stateOf, oneGoodStory } from "../../../../test/support/listed.ts";
import { aStory, aTask, newProject, type Project } from "../../../../test/support/project.ts";
import { newWorktree } from "../../../../test/support/worktree.ts";
import { thisProcess } from "../../../machine/processes/process-id.ts";
import { openStore } from "../../../store/file-store.ts";

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

  it("ready without tasks: it runs as one", async () => {
    expect(await stateOf(story({}), "s")).toBe("ready");
  });

  it("ready with tasks", async () => {
    expect(await stateOf(story({}, aTask("t")), "s")).toBe("ready");
  });

  it("running while a live worker holds its lease, which is named", async () => {
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

  it("unfinished when it was started and has no recorded run", async () => {
    expect(await stateOf(story({ status: "in_progress" }, aTask("t")), "s")).toBe("unfinished");
  });

  it("killed when its worker has died", async () => {
    const project = story({}, aTask("t"));
    project.write(".saga/leases/story.s/1.json", {
      ...thisProcess(),
      startTime: "long ago",
      owner: "worker 7",
      takenAt: "2026-01-01T00:00:00.000Z",
      expiresAt: "2026-01-01T00:01:00.000Z",
    });
    expect(await listed(project)).toMatchObject({ stories: [{ state: "killed" }] });
    expect((await listed(project)).stories[0]).not.toHaveProperty("worker");
  });

  it.each(["merge", "command"])(
    "unchanged when the holder for a %s died over it: that was not a worker",
    async (purpose) => {
      const project = story({}, aTask("t"));
      project.write(".saga/leases/story.s/1.json", {
        ...thisProcess(),
        startTime: "long ago",
        owner: "someone",
        purpose,
        takenAt: "2026-01-01T00:00:00.000Z",
        expiresAt: "2026-01-01T00:01:00.000Z",
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

  it("but not when the folder is not a git worktree", async () => {
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
