import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { projectWith } from "../../../../test/support/one-story.ts";
import {
  anEpic,
  aStory,
  aTask,
  newProject,
  type Project,
  snapshot,
} from "../../../../test/support/project.ts";
import { newWorktree } from "../../../../test/support/worktree.ts";
import { thisProcess } from "../../../machine/processes/process-id.ts";
import { openStore } from "../../../store/file-store.ts";

const withStory = (fields: Record<string, unknown> = {}): Project =>
  projectWith(aStory("s", fields));

describe("saga show <story>", () => {
  it("says what it would conflict with, where, and what to do", async () => {
    const project = withStory({ status: "in_progress" });
    project.write(".saga/stories/s/t.json", aTask("t", { status: "in_progress" }));
    const since = "2026-01-01T00:00:00.000Z";
    const work = { tip: "1", changes: { paths: [], emptied: [], isEverything: false }, at: since };
    const merge = { kind: "target" as const, name: "main", commit: "1", files: ["a", "b"], since };
    const { openWorks } = openStore(project.path);
    await openWorks.write({ story: "s", title: "S", intent: "", ...work, merges: [merge] });
    expect((await project.saga("show", "s")).stdout).toContain(
      "  Conflict      with main, its target, in a, b. You need not act while it runs. Then `saga merge s` gives the conflict to its agent as a task.\n",
    );
    const { conflicts } = (await project.saga("show", "s", "--json")).json();
    expect(conflicts).toMatchObject([{ story: "s", with: { name: "main" }, files: ["a", "b"] }]);
  });

  it("shows everything that a worker gets, and the folder of the files", async () => {
    const project = withStory({
      description: "First line.\nSecond line.",
      guidance: "Small steps.",
      doneWhen: "It works.",
      avoid: "Shortcuts.",
      checks: ["npm test", "npm run lint"],
      writeFiles: ["src/**"],
      labels: ["web", "auth"],
      priority: 0,
      branch: "story/s",
      pr: "https://example.org/pr/1",
    });
    project.write(".saga/stories/s/second.json", aTask("second", { blockedBy: ["third"] }));
    project.write(".saga/stories/s/third.json", aTask("third"));
    const { exitCode, stdout, stderr } = await project.saga("show", "s");
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout).toBe(
      [
        "○ Title of s  ready",
        "  Story         s",
        "  Priority      0",
        "  Labels        web, auth",
        "  Branch        story/s",
        "  Pull request  https://example.org/pr/1",
        `  Files         ${join(project.path, ".saga/stories/s")}`,
        "",
        "Description",
        "  First line.",
        "  Second line.",
        "",
        "Guidance",
        "  Small steps.",
        "",
        "Done when",
        "  It works.",
        "",
        "Avoid",
        "  Shortcuts.",
        "",
        "Checks",
        "  npm test",
        "  npm run lint",
        "",
        "Writes only",
        "  src/**",
        "",
        "2 tasks",
        "  ○ third   ready        Do third",
        "  ◌ second  waiting      Do second  (after third)",
        "",
      ].join("\n"),
    );
  });

  it("lists tasks in the order in which they were created", async () => {
    const project = withStory();
    for (const id of ["zebra", "ant", "mole"]) {
      await project.saga("new", "task", "s", id, "-d", "x");
    }
    await openStore(project.path).addTask("s", aTask("fix"));
    const { stdout } = await project.saga("show", "s");
    const listed = stdout
      .split("\n")
      .flatMap((line) => /^  ○ (?<id>\S+)/.exec(line)?.groups?.["id"] ?? []);
    expect(listed).toEqual(["zebra", "ant", "mole", "fix"]);
    const { taskList } = (await project.saga("show", "s", "--json")).json();
    expect((taskList as { id: string }[]).map(({ id }) => id)).toEqual(listed);
  });

  it("leaves out what is not there", async () => {
    const { stdout } = await withStory().saga("show", "s");
    expect(stdout).not.toMatch(/Guidance|Done when|Avoid|Checks|Labels|Branch|Epic/);
    expect(stdout).toContain("No tasks: it runs as one task\n");
  });

  it("gives programs the story, its tasks with their states, and unknown fields too", async () => {
    const project = withStory({ ticket: { id: 7 } });
    project.write(".saga/stories/s/t.json", aTask("t", { ours: true }));
    const { exitCode, json } = await project.saga("show", "s", "--json");
    expect(exitCode).toBe(0);
    expect(json()).toMatchObject({
      id: "s",
      title: "Title of s",
      state: "ready",
      status: "pending",
      copy: "project",
      folder: join(project.path, ".saga/stories/s"),
      tasks: { total: 1, completed: 0 },
      story: { description: "What s is about.", ticket: { id: 7 } },
      taskList: [{ id: "t", subject: "Do t", state: "ready", ours: true }],
    });
  });

  it("shows its epic and what it waits for", async () => {
    const project = withStory();
    project.write(".saga/stories/first/story.json", aStory("first"));
    const children = [{ id: "first" }, { id: "s", blockedBy: ["first"] }];
    project.write(".saga/epics/e/epic.json", anEpic("e", children));
    const { stdout } = await project.saga("show", "s");
    expect(stdout).toContain("  Epic          e\n");
    expect(stdout).toContain("  Waits for     first\n");
    expect(stdout).toMatch(/^◌ Title of s {2}waiting\n/);
  });

  it("agrees with saga list about the state", async () => {
    const project = withStory();
    project.write(".saga/stories/first/story.json", aStory("first", { status: "completed" }));
    const children = [{ id: "first" }, { id: "s", blockedBy: ["first"] }];
    project.write(".saga/epics/e/epic.json", anEpic("e", children));
    project.write(".saga/stories/s/t.json", aTask("t"));
    const { json } = await project.saga("show", "s", "--json");
    const { json: list } = await project.saga("list", "--json");
    const [, listed] = (list() as { stories: { state: string }[] }).stories;
    expect(listed?.state).toBe("ready");
    expect(json()["state"]).toBe(listed?.state);
  });

  it("puts open blockers where they are seen", async () => {
    const project = withStory();
    await project.saga("journal", "s", "--blocker", "Which database?", "--body", "This or that?");
    const { stdout } = await project.saga("show", "s");
    expect(stdout).toMatch(/^■ Title of s {2}blocked\n/);
    expect(stdout).toContain("Open blocker b1\n  Which database?\n  This or that?\n");
  });

  it("names the worker that runs it", async () => {
    const project = withStory();
    project.write(".saga/stories/s/t.json", aTask("t", { status: "in_progress" }));
    const { lease } = await openStore(project.path).leases.acquire("story.s", {
      owner: "worker 7",
      ttlMs: 60_000,
    });
    onTestFinished(() => lease?.release());
    const { stdout } = await project.saga("show", "s");
    expect(stdout).toMatch(/^◐ Title of s {2}running\n/);
    expect(stdout).toContain("  Worker        worker 7\n");
    expect(stdout).toContain("  ◐ t  running");
  });

  it("calls a run killed whose worker is gone, and one running whose worker is not", async () => {
    const { saga, path, write } = newProject();
    write(".saga/stories/s/story.json", aStory("s"));
    const store = openStore(path);
    for (const worker of [{ ...thisProcess(), startTime: "long ago" }, thisProcess()]) {
      (await store.startRun("s", { worker })).close();
    }
    const { stdout } = await saga("show", "s");
    expect(stdout).toMatch(
      /2 runs\n {2}\S+ {2}running +0 agent runs.*\n {2}\S+ {2}killed +0 agent runs/,
    );
  });

  it("shows an archived story as well, and says that it is one", async () => {
    const project = newProject();
    project.write(".saga/archive/old/story.json", aStory("old", { status: "completed" }));
    const { exitCode, stdout } = await project.saga("show", "old");
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^● Title of old {2}completed\n/);
    expect(stdout).toContain(`${join(project.path, ".saga/archive/old")} (archive)\n`);
  });

  it.each([
    ["today's layout", "auth--login", "auth--login"],
    ["the older stories/<id>", "stories/auth--login", "auth--login"],
    ["the older <epic>/<story>", "auth/login", "auth--login"],
    ["the older <epic>/<story> of an epic with two levels", "app--auth/login", "app--auth--login"],
  ])("shows the copy in its worktree while there is one: %s", async (_, place, id) => {
    const project = newProject();
    project.write(`.saga/stories/${id}/story.json`, aStory(id, { title: "Old" }));
    const live = newWorktree(project, place, aStory(id, { title: "Live" }));
    project.write(`${live}/t.json`, aTask("t"));
    const { stdout } = await project.saga("show", id);
    expect(stdout).toMatch(/^○ Live {2}new work\n/);
    expect(stdout).toContain(`${join(project.path, live)} (worktree)\n`);
    const { json } = await project.saga("show", id, "--json");
    expect(json()).toMatchObject({ copy: "worktree", story: { title: "Live" } });
  });

  it("changes nothing", async () => {
    const project = withStory();
    const before = snapshot(project.path);
    await project.saga("show", "s");
    expect(snapshot(project.path)).toBe(before);
  });
});
