import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { anEpic, aStory, aTask, newProject, snapshot } from "../../../../test/support/project.ts";
import { misused, refused, refusedWithInput, wholeDisk } from "../../../../test/support/refused.ts";
import { workedOn } from "../../../../test/support/worked-on.ts";
import { newWorktree } from "../../../../test/support/worktree.ts";

const plan = {
  epics: [{ id: "auth", title: "Auth", description: "Let people sign in." }],
  stories: [
    {
      ...aStory("auth--db"),
      tasks: [aTask("schema"), aTask("tests", { blockedBy: ["schema"] })],
    },
    { ...aStory("auth--page"), blockedBy: ["auth--db"], tasks: [aTask("form")] },
  ],
};

const planText = JSON.stringify(plan, undefined, 2);

describe("saga stage", () => {
  it("writes a whole plan from a file", async () => {
    const project = newProject();
    project.write("plan.json", plan);
    const { exitCode, stdout, stderr } = await project.saga("stage", "plan.json");
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout.trimEnd().split("\n").toSorted()).toEqual([
      "created  epic   auth",
      "created  story  auth--db",
      "created  story  auth--page",
      "created  task   auth--db/schema",
      "created  task   auth--db/tests",
      "created  task   auth--page/form",
    ]);
    expect((await project.saga("validate")).stdout).toBe("Valid: 1 epic, 2 stories, 3 tasks.\n");
  });

  it.each([[[]], [["-"]]])("reads standard input: stage %j", async (words) => {
    const project = newProject();
    const { exitCode } = await project.sagaWithInput(planText, "stage", ...words);
    expect(exitCode).toBe(0);
    expect(project.json(".saga/stories/auth--db/tests.json")["blockedBy"]).toEqual(["schema"]);
  });

  it("shows in JSON what happened to every file", async () => {
    const { exitCode, json } = await newProject().sagaWithInput(
      JSON.stringify({ stories: [{ ...aStory("s"), tasks: [aTask("t")] }] }),
      "stage --json",
    );
    expect(exitCode).toBe(0);
    expect(json()).toEqual({
      isDryRun: false,
      files: [
        { kind: "story", owner: "s", id: "s", action: "create" },
        { kind: "task", owner: "s", id: "t", action: "create" },
      ],
    });
  });

  it("keeps the order of the stories in their epic", async () => {
    const project = newProject();
    await project.sagaWithInput(planText, "stage");
    expect(project.json(".saga/epics/auth/epic.json")["children"]).toEqual([
      { id: "auth--db", blockedBy: [] },
      { id: "auth--page", blockedBy: ["auth--db"] },
    ]);
    expect(project.json(".saga/stories/auth--page/story.json")).not.toHaveProperty("blockedBy");
    expect(project.json(".saga/stories/auth--page/story.json")).not.toHaveProperty("tasks");
  });

  it("adds a story to an existing epic", async () => {
    const project = newProject();
    await project.sagaWithInput(planText, "stage");
    const more = { stories: [{ ...aStory("auth--mail"), blockedBy: ["auth--page"] }] };
    const { exitCode, stdout } = await project.sagaWithInput(JSON.stringify(more), "stage");
    expect(exitCode).toBe(0);
    expect(stdout).toBe("created  story  auth--mail\nupdated  epic   auth\n");
    expect(project.json(".saga/epics/auth/epic.json")["children"]).toHaveLength(3);
  });

  it("keeps fields that it does not know", async () => {
    const project = newProject();
    const text = JSON.stringify({ stories: [aStory("s", { ticket: { id: 7 } })] });
    await project.sagaWithInput(text, "stage");
    expect(project.json(".saga/stories/s/story.json")["ticket"]).toEqual({ id: 7 });
  });

  it("can be repeated", async () => {
    const project = newProject();
    await project.sagaWithInput(planText, "stage");
    const before = snapshot(project.path);
    const { exitCode, stdout } = await project.sagaWithInput(planText, "stage");
    expect(exitCode).toBe(0);
    expect(stdout).toBe("Everything exists already; nothing was changed.\n");
    expect(snapshot(project.path)).toBe(before);
  });

  it("checks and shows, and writes nothing, in a dry run", async () => {
    const project = newProject();
    const before = wholeDisk(project.path);
    const dry = await project.sagaWithInput(planText, "stage", "--dry-run");
    expect(dry.exitCode).toBe(0);
    expect(dry.stdout).toContain("create  story  auth--db\n");
    expect(dry.stdout).toMatch(/Dry run: nothing was written\.\n$/);
    const { json } = await project.sagaWithInput(planText, "stage", "--dry-run", "--json");
    expect(json()["isDryRun"]).toBe(true);
    expect(wholeDisk(project.path)).toBe(before);
  });

  it("refuses a plan without epics and stories", async () => {
    const { stdout, stderr } = await newProject().sagaWithInput("{}", "stage");
    expect(stderr).toContain("The plan has no epics and no stories.");
    expect(stdout).toBe("");
  });

  it("is not confused by a text that speaks of a STAGING_PAYLOAD", async () => {
    const project = newProject();
    const text = JSON.stringify({
      stories: [aStory("s", { description: "Print STAGING_PAYLOAD {…} at the end." })],
    });
    const { exitCode, stderr } = await project.sagaWithInput(text, "stage");
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  });

  it("writes into the worktree's copy of a story while there is one", async () => {
    const project = newProject();
    project.write(".saga/stories/s/story.json", aStory("s"));
    const live = newWorktree(project, "s", aStory("s"));
    const text = JSON.stringify({ stories: [{ ...aStory("s"), tasks: [aTask("t")] }] });
    expect((await project.sagaWithInput(text, "stage", "--update")).exitCode).toBe(0);
    expect(project.json(`${live}/t.json`)["id"]).toBe("t");
    expect(() => project.read(".saga/stories/s/t.json")).toThrow("ENOENT");
  });
});

describe("saga stage --update", () => {
  it("changes what exists, and says which", async () => {
    const project = newProject();
    await project.sagaWithInput(planText, "stage");
    const text = JSON.stringify({ stories: [aStory("auth--db", { title: "Better" })] });
    const { exitCode, stdout } = await project.sagaWithInput(text, "stage", "--update");
    expect(exitCode).toBe(0);
    expect(stdout).toBe("updated  story  auth--db\n");
    expect(project.json(".saga/stories/auth--db/story.json")["title"]).toBe("Better");
  });

  it("never takes over the status, the branch or the pull request", async () => {
    const project = newProject();
    const live = { status: "in_progress", branch: "story/s", pr: "https://example.org/pr/1" };
    project.write(".saga/stories/s/story.json", aStory("s", live));
    project.write(".saga/stories/s/t.json", aTask("t", { status: "completed" }));
    const text = JSON.stringify({
      stories: [{ ...aStory("s", { title: "Better", status: "pending" }), tasks: [aTask("t")] }],
    });
    expect((await project.sagaWithInput(text, "stage", "--update")).exitCode).toBe(0);
    const story = project.json(".saga/stories/s/story.json");
    expect(story).toMatchObject({ title: "Better", ...live });
    expect(project.json(".saga/stories/s/t.json")["status"]).toBe("completed");
  });

  it("is needed to change what exists", async () => {
    const project = newProject();
    project.write(".saga/stories/s/story.json", aStory("s"));
    project.write("plan.json", { stories: [aStory("s", { title: "Better" })] });
    const { code, text } = await refused(project, "stage", "plan.json");
    expect(code).toBe("bad-plan");
    expect(text).toContain("The story s already exists with other content.");
    expect(text).toContain("saga stage <plan.json> --update");
  });

  it("does not leave out of an epic what says that it belongs to it", async () => {
    const project = newProject();
    project.write(".saga/epics/e/epic.json", anEpic("e", [{ id: "e--s", blockedBy: [] }]));
    project.write(".saga/stories/e--s/story.json", aStory("e--s", { epic: "e" }));
    project.write("plan.json", { epics: [anEpic("e", [])] });
    const { text } = await refused(project, "stage", "plan.json", "--update");
    expect(text).toContain("e--s");
  });

  it("does not put a story into a second epic", async () => {
    const project = newProject();
    project.write(".saga/epics/one/epic.json", anEpic("one", [{ id: "s", blockedBy: [] }]));
    project.write(".saga/epics/two/epic.json", anEpic("two", []));
    project.write(".saga/stories/s/story.json", aStory("s"));
    project.write("plan.json", { stories: [aStory("s", { epic: "two" })] });
    const { text } = await refused(project, "stage", "plan.json", "--update");
    expect(text).toContain("one");
  });

  it("does not change a story that is being worked on", async () => {
    const project = newProject();
    project.write(".saga/stories/s/story.json", aStory("s"));
    await workedOn(project, "s");
    project.write("plan.json", { stories: [aStory("s", { title: "Better" })] });
    const { text } = await refused(project, "stage", "plan.json", "--update");
    expect(text).toContain("The story s is running (a worker).");
  });
});

describe("saga stage takes the STAGING_PAYLOAD of the lightweight pipeline", () => {
  const payload = {
    storyUpdate: {
      id: "auth--mail",
      epicId: "auth",
      title: "Send a mail",
      state: "filling",
      body: "With a link.",
      tasks: [aTask("template")],
    },
    epicUpdate: { id: "auth", title: "Auth", body: "Let people sign in." },
  };

  it("out of the prose and the fences around it", async () => {
    const project = newProject();
    const input = `Here is the plan.\n\nSTAGING_PAYLOAD\n\`\`\`json\n${JSON.stringify(payload)}\n\`\`\`\n`;
    const { exitCode, stderr } = await project.sagaWithInput(input, "stage");
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(project.json(".saga/stories/auth--mail/story.json")).toEqual({
      id: "auth--mail",
      title: "Send a mail",
      description: "With a link.",
      status: "pending",
      epic: "auth",
    });
    expect(project.json(".saga/epics/auth/epic.json")).toMatchObject({
      title: "Auth",
      description: "Let people sign in.",
      children: [{ id: "auth--mail", blockedBy: [] }],
    });
    expect((await project.saga("validate")).exitCode).toBe(0);
  });

  it("bare, from a file, and with several stories", async () => {
    const project = newProject();
    const one = { id: "one", title: "One", body: "x" };
    project.write("payload.json", { storyUpdate: [one, { ...one, id: "two" }] });
    const { exitCode, stdout } = await project.saga("stage", "payload.json");
    expect(exitCode).toBe(0);
    expect(stdout).toBe("created  story  one\ncreated  story  two\n");
  });

  it("as an update: what it leaves out stays", async () => {
    const project = newProject();
    project.write(".saga/stories/s/story.json", aStory("s", { guidance: "Slowly.", ours: 1 }));
    const text = JSON.stringify({ storyUpdate: { id: "s", title: "Better" } });
    expect((await project.sagaWithInput(text, "stage")).exitCode).toBe(0);
    expect(project.json(".saga/stories/s/story.json")).toEqual(
      aStory("s", { title: "Better", guidance: "Slowly.", ours: 1 }),
    );
  });

  it("and says which of its fields is wrong, with its line", async () => {
    const input =
      'Done.\nSTAGING_PAYLOAD\n{\n  "storyUpdate": {\n    "id": "s",\n    "state": "open"\n  }\n}\n';
    const { problems, text } = await refusedWithInput(newProject(), input, "stage");
    expect(text).not.toContain("Invalid input");
    expect(text).toContain("state");
    expect(problems[0]?.line).toBe(6);
  });

  it("and names the rule that an id breaks", async () => {
    const input = 'STAGING_PAYLOAD\n{ "storyUpdate": { "id": "Send Mail" } }\n';
    const { text } = await refusedWithInput(newProject(), input, "stage");
    expect(text).toContain('<stdin>:2:20: error: `storyUpdate.id` ("Send Mail") may only contain');
  });

  it("and says so when nothing follows the marker", async () => {
    const { text } = await refusedWithInput(newProject(), "STAGING_PAYLOAD\n", "stage");
    expect(text).toContain("<stdin>");
  });
});

describe("saga stage as a command line", () => {
  it("wants a plan", async () => {
    const { text } = await misused(newProject(), "stage");
    expect(text).toContain("The plan is empty.");
    expect(text).toContain("saga stage < plan.json");
  });

  it("names a file that is not there, and the next step", async () => {
    const project = newProject();
    const { code, text } = await refused(project, "stage", "nope.json");
    expect(code).toBe("not-found");
    expect(text).toContain(`There is no file ${join(project.path, "nope.json")}.`);
  });

  it("does not take a folder for a plan", async () => {
    const project = newProject();
    mkdirSync(join(project.path, "plans"));
    const { text } = await refused(project, "stage", "plans");
    expect(text).toContain(join(project.path, "plans"));
  });

  it("takes one plan at a time", async () => {
    const { message } = await misused(newProject(), "stage", "one.json", "two.json");
    expect(message).toContain("Too many arguments");
  });
});
