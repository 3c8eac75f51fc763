import { describe, expect, it } from "vitest";
import { aStory, newProject, snapshot } from "../../../../test/support/project.ts";
import { misused, refused } from "../../../../test/support/refused.ts";

describe("saga new epic", () => {
  it("writes the epic's file and says so", async () => {
    const project = newProject();
    const { exitCode, stdout, stderr } = await project.saga(
      "new epic user-auth --title",
      "User authentication",
      "--description",
      "Let people sign in.",
    );
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout).toBe("created  epic   user-auth\n");
    expect(project.json(".saga/epics/user-auth/epic.json")).toEqual({
      id: "user-auth",
      title: "User authentication",
      description: "Let people sign in.",
      status: "pending",
      children: [],
    });
  });

  it("lists the written files in JSON", async () => {
    const { exitCode, json } = await newProject().saga("new", "epic", "e", "-d", "x", "--json");
    expect(exitCode).toBe(0);
    expect(json()).toEqual({
      isDryRun: false,
      files: [{ kind: "epic", owner: "e", id: "e", action: "create" }],
    });
  });

  it("takes the title from the id when none is given", async () => {
    const project = newProject();
    await project.saga("new", "epic", "user-auth", "-d", "x");
    expect(project.json(".saga/epics/user-auth/epic.json")["title"]).toBe("User auth");
  });

  it("reads the description from standard input when it is -", async () => {
    const project = newProject();
    await project.sagaWithInput("Line one.\nLine two.\n", "new", "epic", "e", "-d", "-");
    expect(project.json(".saga/epics/e/epic.json")["description"]).toBe("Line one.\nLine two.");
  });

  it("can be repeated", async () => {
    const project = newProject();
    await project.saga("new", "epic", "e", "-d", "x");
    const before = snapshot(project.path);
    const { exitCode, stdout } = await project.saga("new", "epic", "e", "-d", "x");
    expect(exitCode).toBe(0);
    expect(stdout).toBe("Everything exists already; nothing was changed.\n");
    expect(snapshot(project.path)).toBe(before);
  });

  it("can be repeated after stories have joined it, and keeps them", async () => {
    const project = newProject();
    await project.saga("new", "epic", "e", "-d", "x");
    await project.saga("new", "story", "one", "--epic", "e", "-d", "x");
    const before = snapshot(project.path);
    const { exitCode } = await project.saga("new", "epic", "e", "-d", "x");
    expect(exitCode).toBe(0);
    expect(snapshot(project.path)).toBe(before);
  });

  it("does not change an existing epic that differs", async () => {
    const project = newProject();
    await project.saga("new", "epic", "e", "-d", "x");
    const { text } = await refused(project, "new", "epic", "e", "-d", "other");
    expect(text).toContain("The epic e already exists with other content.");
    expect(text).toContain("Change it: `saga edit e`.");
  });
});

describe("saga new story", () => {
  it("joins the epic that its id names", async () => {
    const project = newProject();
    for (const id of ["auth", "auth--social"]) await project.saga("new", "epic", id, "-d", "x");
    for (const id of ["auth--login", "auth--social--github"]) {
      expect((await project.saga("new", "story", id, "-d", "x")).exitCode, id).toBe(0);
    }
    const children = (epic: string) => project.json(`.saga/epics/${epic}/epic.json`)["children"];
    expect(children("auth")).toEqual([{ id: "auth--login", blockedBy: [] }]);
    expect(children("auth--social")).toEqual([{ id: "auth--social--github", blockedBy: [] }]);
  });

  it("writes the given fields and nothing else", async () => {
    const project = newProject();
    const { exitCode, stdout } = await project.saga("new", "story", "add-login", "-d", "A page.");
    expect(exitCode).toBe(0);
    expect(stdout).toBe("created  story  add-login\n");
    expect(project.json(".saga/stories/add-login/story.json")).toEqual({
      id: "add-login",
      title: "Add login",
      description: "A page.",
      status: "pending",
    });
  });

  it("has an option for every field that people write", async () => {
    const project = newProject();
    const { exitCode } = await project.saga(
      "new story add-login -t",
      "Add a login page",
      "-d",
      "A page.",
      "--guidance",
      "Small steps.",
      "--done-when",
      "One can log in.",
      "--avoid",
      "Cookies.",
      "--label",
      "web",
      "auth",
      "--priority",
      "0",
      "--check",
      "npm test",
      "npm run lint",
      "--write",
      "src/**",
      "test/**",
      "--needs-testing",
      "--needs-review",
    );
    expect(exitCode).toBe(0);
    expect(project.json(".saga/stories/add-login/story.json")).toEqual({
      id: "add-login",
      title: "Add a login page",
      description: "A page.",
      guidance: "Small steps.",
      doneWhen: "One can log in.",
      avoid: "Cookies.",
      status: "pending",
      labels: ["web", "auth"],
      priority: 0,
      checks: ["npm test", "npm run lint"],
      writeFiles: ["src/**", "test/**"],
      needsTesting: true,
      needsReview: true,
    });
  });

  it("puts the epic's id before its own, and adds it to the epic", async () => {
    const project = newProject();
    await project.saga("new", "epic", "user-auth", "-d", "x");
    const { stdout } = await project.saga("new story setup-db --epic user-auth -d x");
    expect(stdout).toBe("created  story  user-auth--setup-db\nupdated  epic   user-auth\n");
    const story = project.json(".saga/stories/user-auth--setup-db/story.json");
    expect(story).toMatchObject({ epic: "user-auth", title: "Setup db" });
    expect(project.json(".saga/epics/user-auth/epic.json")["children"]).toEqual([
      { id: "user-auth--setup-db", blockedBy: [] },
    ]);
  });

  it("takes the full id in an epic as well", async () => {
    const project = newProject();
    await project.saga("new", "epic", "user-auth", "-d", "x");
    const { stdout } = await project.saga("new story user-auth--setup-db --epic user-auth -d x");
    expect(stdout).toContain("created  story  user-auth--setup-db\n");
  });

  it("keeps the order in the epic", async () => {
    const project = newProject();
    await project.saga("new", "epic", "e", "-d", "x");
    await project.saga("new", "story", "one", "--epic", "e", "-d", "x");
    const { exitCode } = await project.saga("new story two --epic e -d x --blocked-by e--one");
    expect(exitCode).toBe(0);
    expect(project.json(".saga/epics/e/epic.json")["children"]).toEqual([
      { id: "e--one", blockedBy: [] },
      { id: "e--two", blockedBy: ["e--one"] },
    ]);
  });

  it("can be repeated, also after the story was started", async () => {
    const project = newProject();
    const words = ["new", "story", "add-login", "-d", "A page."];
    await project.saga(...words);
    const file = ".saga/stories/add-login/story.json";
    project.write(file, { ...project.json(file), status: "in_progress", branch: "story/a" });
    const before = snapshot(project.path);
    const { exitCode, stdout } = await project.saga(...words);
    expect(exitCode).toBe(0);
    expect(stdout).toBe("Everything exists already; nothing was changed.\n");
    expect(snapshot(project.path)).toBe(before);
  });

  it("does not care about other files that are broken", async () => {
    const project = newProject();
    project.write(".saga/stories/broken/story.json", "{");
    expect((await project.saga("new", "story", "fine", "-d", "x")).exitCode).toBe(0);
  });

  it("does not change an existing story that differs", async () => {
    const project = newProject();
    await project.saga("new", "story", "add-login", "-d", "A page.");
    const { text } = await refused(project, "new", "story", "add-login", "-d", "Two pages.");
    expect(text).toContain("The story add-login already exists with other content.");
  });

  it("does not take the id of an archived story", async () => {
    const project = newProject();
    project.write(".saga/archive/old/story.json", aStory("old", { status: "completed" }));
    const { text } = await refused(project, "new", "story", "old", "-d", "x");
    expect(text).toContain("The story old is in the archive.");
    expect(text).toContain("another id");
  });
});

describe("saga new as a command line", () => {
  it("names the subcommands when none is given", async () => {
    const { message, text } = await misused(newProject(), "new");
    expect(message).not.toContain("outputHelp");
    expect(text).toMatch(/epic.*story.*task/s);
  });

  it("names a kind that it does not know", async () => {
    const { message } = await misused(newProject(), "new", "saga");
    expect(message).toBe('Unknown command "new saga".');
  });

  it.each([["epic"], ["story"], ["task", "s"]])("wants an id: new %s", async (...words) => {
    const { message } = await misused(newProject(), "new", ...words, "-d", "x");
    expect(message).toContain("Missing argument <id>");
  });

  it.each([["epic"], ["story"], ["task", "s"]])("wants a description: new %s", async (...words) => {
    const { message } = await misused(newProject(), "new", ...words, "x");
    expect(message).toContain("--description");
  });

  it("points to the help of the very command that was used", async () => {
    const { hint } = await misused(newProject(), "new", "story", "x");
    expect(hint).toContain("`saga new story --help`");
  });

  it.each([[""], ["  \n"], ["-"]])("does not take %j for a description", async (description) => {
    const { message } = await misused(newProject(), "new", "story", "x", "-d", description);
    expect(message).toBe("The description is empty.");
  });

  it.each([
    ["--priority", "high"],
    ["--priority", "-1"],
    ["--priority", "1.5"],
  ])("wants a whole number: %s %s", async (option, value) => {
    const { message } = await misused(newProject(), "new", "story", "x", "-d", "x", option, value);
    expect(message).toContain(option);
  });
});
