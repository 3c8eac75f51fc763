import { describe, expect, it } from "vitest";
import { anEpic, aStory, newProject, type Project } from "../../../../test/support/project.ts";

describe("saga show <epic>", () => {
  function withEpic(): Project {
    const project = newProject();
    const children = [
      { id: "e--one" },
      { id: "e--two", blockedBy: ["e--one"] },
      { id: "e--old" },
      { id: "e--lost" },
    ];
    project.write(".saga/epics/e/epic.json", anEpic("e", children, { delivery: "epic-branch" }));
    project.write(".saga/stories/e--one/story.json", aStory("e--one"));
    project.write(".saga/stories/e--two/story.json", aStory("e--two"));
    project.write(".saga/archive/e--old/story.json", aStory("e--old", { status: "completed" }));
    return project;
  }

  it("shows its stories, also those that are archived or missing", async () => {
    const { exitCode, stdout } = await withEpic().saga("show", "e");
    expect(exitCode).toBe(0);
    expect(stdout).toBe(
      [
        "Title of e  in progress",
        "  Epic          e",
        "  Delivery      epic-branch",
        "",
        "Description",
        "  What e is about.",
        "",
        "4 stories",
        "  ○ e--one   ready        Title of e--one",
        "  ◌ e--two   waiting      Title of e--two  (after e--one)",
        "  ● e--old   completed",
        "  ? e--lost  not found",
        "",
      ].join("\n"),
    );
  });

  it("gives programs the epic and its stories", async () => {
    const { exitCode, json } = await withEpic().saga("show", "e", "--json");
    expect(exitCode).toBe(0);
    expect(json()).toMatchObject({
      id: "e",
      status: "in_progress",
      delivery: "epic-branch",
      stories: [
        { id: "e--one", state: "ready" },
        { id: "e--two", state: "waiting", waitsFor: ["e--one"] },
      ],
    });
  });

  it("shows an epic without stories", async () => {
    const project = newProject();
    project.write(".saga/epics/e/epic.json", anEpic("e", []));
    const { exitCode, stdout } = await project.saga("show", "e");
    expect(exitCode).toBe(0);
    expect(stdout).toContain("0 stories\n");
  });
});
