import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { listed, stateOf, oneGoodStory } from "../../../../test/support/listed.ts";
import {
  anEpic,
  aStory,
  aTask,
  newProject,
  snapshot,
  type Project,
} from "../../../../test/support/project.ts";
import { isHarmless, misused, refused } from "../../../../test/support/refused.ts";

describe("saga list", () => {
  it("says how to begin when there is nothing yet", async () => {
    const { exitCode, stdout } = await newProject().saga("list");
    expect(exitCode).toBe(0);
    expect(stdout).toContain("No stories yet.");
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
        "  ○ alone  ready          0/0  Title of alone",
        "",
      ].join("\n"),
    );
  });

  it("shows an epic without stories, and one whose stories are all archived", async () => {
    const project = newProject();
    project.write(".saga/epics/later/epic.json", anEpic("later", []));
    project.write(
      ".saga/epics/past/epic.json",
      anEpic("past", [{ id: "past--db", blockedBy: [] }]),
    );
    project.write(".saga/archive/past--db/story.json", aStory("past--db", { status: "completed" }));
    const { exitCode, stdout, stderr } = await project.saga("list");
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout).toMatch(/^later {2}.*, 0\/0 stories$/m);
    expect(stdout).toMatch(/^past {2}.*, 1\/1 story, 1 archived$/m);
  });

  it("counts unfinished stories without a worker in one line, whatever the filter", async () => {
    const project = oneGoodStory();
    expect((await project.saga("list")).stdout).not.toContain("without a worker");
    for (const id of ["one", "two"]) {
      project.write(`.saga/stories/${id}/story.json`, aStory(id, { status: "in_progress" }));
      project.write(`.saga/stories/${id}/t.json`, aTask("t"));
      const { stdout } = await project.saga("list", "--state", "ready");
      const line = {
        one: "1 unfinished story without a worker: `saga recover`",
        two: "2 unfinished stories without a worker: `saga recover`",
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
          state: "unfinished",
          kind: "unfinished",
          next: "saga resume s",
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

  it("does not show stories in the old markdown format, and names them", async () => {
    const project = oneGoodStory();
    project.write(".saga/stories/older/story.md", "# Older\n");
    project.write(".saga/epics/older/epic.md", "# Older\n");
    expect((await project.saga("list")).stdout).toContain(
      "Not shown, because they are in the old markdown format: older.",
    );
    expect((await listed(project)).problems).toEqual([]);
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
    project.write(".saga/stories/one--s/t.json", aTask("t", { status: "completed" }));
    const { stdout } = await project.saga("list", "--state", "ready", "running");
    expect(stdout).toContain("two--s");
    expect(stdout).not.toContain("one--s");
    const both = await listed(project, "--state", "ready", "--state", "review");
    expect(both.stories.map(({ id }) => id)).toEqual(["one--s", "two--s"]);
  });

  it("to nothing, and says so", async () => {
    const { exitCode, stdout } = await twoEpics().saga("list", "--state", "blocked");
    expect(exitCode).toBe(0);
    expect(stdout).toBe("No stories match.\n");
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

  it("says that a folder does not exist, and not that it needs a project", async () => {
    const { text } = await refused(newProject(), "list", "-C", "/no/such/folder");
    expect(text).toContain("/no/such/folder");
    expect(text).not.toContain("saga init");
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
    expect(stdout).toContain("Not shown: 2 invalid files");
    expect(isHarmless(stdout)).toBe(true);
  });
});

describe("saga list in a terminal", () => {
  function withLongTitles(): Project {
    const project = newProject();
    const title = "Let people sign in with the account that they have already, wherever they are";
    const children = [
      { id: "e--a", blockedBy: [] },
      { id: "e--b", blockedBy: ["e--a"] },
    ];
    project.write(".saga/epics/e/epic.json", anEpic("e", children));
    for (const { id } of children) {
      project.write(`.saga/stories/${id}/story.json`, aStory(id, { title }));
      project.write(`.saga/stories/${id}/t.json`, aTask("t"));
    }
    return project;
  }

  it("cuts titles so that no line wraps, and leaves what a story waits for", async () => {
    const { stdout } = await withLongTitles().sagaInColumns(70, "list");
    const [, first = "", second = ""] = stdout.split("\n");
    expect(first).toHaveLength(70);
    expect(first).toMatch(/Let people sign in .*…$/);
    expect(second.length).toBeLessThanOrEqual(70);
    expect(second).toMatch(/…  \(after e--a\)$/);
  });

  it("leaves a note out rather than cut it open", async () => {
    const { stdout } = await withLongTitles().sagaInColumns(46, "list");
    expect(stdout).not.toMatch(/\(after(?! e--a\))/);
  });

  it("cuts nothing where the output is not a terminal", async () => {
    expect((await withLongTitles().saga("list")).stdout).toContain(
      "wherever they are  (after e--a)",
    );
  });
});
